from calor_guest.collect import config_drive as ours


class BlockDevice:
    def __init__(self, device):
        self.device = device
        self.devname, self.type, self.label = device

    @classmethod
    def from_blkid_export(cls, text):
        return cls(ours.parsed(text))

    def config_drive_candidate(self):
        return self.device.is_config_drive

    def get_metadata(self):
        return ours.read(self.device)

    def __repr__(self):
        return f'{self.devname}: TYPE="{self.type}" LABEL="{self.label}"'


def all_block_devices():
    return [BlockDevice(device) for device in ours.devices()]


def config_drive():
    return next((device for device in all_block_devices() if device.config_drive_candidate()), None)


def get_metadata():
    device = config_drive()
    return device.get_metadata() if device is not None else {}
