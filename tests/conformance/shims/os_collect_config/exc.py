class SourceNotAvailable(RuntimeError):
    pass


class SourceNotConfigured(RuntimeError):
    pass


class Ec2MetadataNotAvailable(SourceNotAvailable):
    pass


class CfnMetadataNotAvailable(SourceNotAvailable):
    pass


class CfnMetadataNotConfigured(SourceNotConfigured):
    pass


class HeatMetadataNotAvailable(SourceNotAvailable):
    pass


class HeatMetadataNotConfigured(SourceNotConfigured):
    pass


class HeatLocalMetadataNotAvailable(SourceNotAvailable):
    pass


class LocalMetadataNotAvailable(SourceNotAvailable):
    pass


class RequestMetadataNotAvailable(SourceNotAvailable):
    pass


class RequestMetadataNotConfigured(SourceNotAvailable):
    pass


class ZaqarMetadataNotAvailable(SourceNotAvailable):
    pass


class ZaqarMetadataNotConfigured(SourceNotConfigured):
    pass


class InvalidArguments(ValueError):
    pass
