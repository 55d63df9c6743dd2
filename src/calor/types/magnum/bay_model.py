from calor.language.schema import deprecated, hidden, supported
from calor.types.magnum.cluster_template import ClusterTemplate


class BayModel(ClusterTemplate):
    type_name = "OS::Magnum::BayModel"
    support = hidden(
        "11.0.0", deprecated("9.0.0", supported("5.0.0"), substitute="OS::Magnum::ClusterTemplate")
    )
    translations = []
