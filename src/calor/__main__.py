"""`python -m calor`"""

import sys

from calor.cli.main import main

sys.exit(main())
