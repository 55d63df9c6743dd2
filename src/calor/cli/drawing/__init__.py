"""Pictures of what a template defines: for the terminal, for Graphviz, as SVG."""
