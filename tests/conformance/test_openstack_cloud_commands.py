"""The `openstack` command, unmodified, drives every service of the embedded cloud."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.support.server import Server

pytest.importorskip("openstackclient.shell")

ABOUT_THE_CLOUD = """\
availability zone list
catalog list
token issue
limits show --absolute
quota show
extension list --network
flavor list
flavor show m1.tiny
image list
image show cirros
project list --my-projects
application credential create access
application credential list
application credential delete access
ec2 credentials create
ec2 credentials list
"""
A_NETWORK = """\
network create net
network set --description changed net
network show net
network list
subnet create --network net --subnet-range 10.77.0.0/24 subnet
subnet set --dns-nameserver 192.0.2.53 subnet
subnet show subnet
subnet list
router create router
router set --external-gateway public router
router add subnet router subnet
router show router
router list
security group create group
security group set --description changed group
security group rule create --protocol tcp --dst-port 22 group
security group rule list group
security group show group
security group list
port create --network net --fixed-ip subnet=subnet,ip-address=10.77.0.50 --security-group group port
port set --description changed port
port show port
port list
floating ip create --description ours public
floating ip list
"""
SPECIAL_NETWORKS = """\
address scope create scope
address scope list
subnet pool create --pool-prefix 10.99.0.0/16 --default-prefix-length 24 --address-scope scope pool
subnet pool show pool
subnet pool list
network create pooled
subnet create --network pooled --subnet-pool pool pooled
network delete pooled
subnet pool delete pool
address scope delete scope
address group create --address 10.0.0.0/24 addresses
address group list
address group delete addresses
port create --network net parent
network trunk create --parent-port parent trunk
network trunk show trunk
network trunk list
network trunk delete trunk
port delete parent
network qos policy list
network rbac list
"""
A_SERVER = """\
keypair create --private-key key.pem key
keypair show key
keypair list
server group create --policy anti-affinity together
server group show together
server group list
server create --image cirros --flavor m1.nano --port port --key-name key --property a=b server
until ACTIVE: server show server
server list --long
server set --property c=d server
server unset --property c server
server stop server
until SHUTOFF: server show server
server start server
until ACTIVE: server show server
server reboot server
until ACTIVE: server show server
server pause server
until PAUSED: server show server
server unpause server
until ACTIVE: server show server
server suspend server
until SUSPENDED: server show server
server resume server
until ACTIVE: server show server
server lock server
server unlock server
server resize --flavor m1.tiny server
until VERIFY_RESIZE: server show server
server resize confirm server
until ACTIVE: server show server
server rebuild --image cirros server
until ACTIVE: server show server
server rescue server
until RESCUE: server show server
server unrescue server
until ACTIVE: server show server
server image create --name picture server
until active: image show picture
server shelve server
until SHELVED_OFFLOADED: server show server
server unshelve server
until ACTIVE: server show server
server event list server
console log show server
console url show server
usage show
"""
WHAT_A_SERVER_HAS = """\
server add security group server group
server remove security group server group
server add floating ip server `floating ip list -f value -c "Floating IP Address"`
server remove floating ip server `floating ip list -f value -c "Floating IP Address"`
port create --network net second
server add port server second
port list --server server
server remove port server second
port delete second
volume create --size 1 volume
until available: volume show volume
server add volume server volume
server volume list server
until in-use: volume show volume
server remove volume server volume
until available: volume show volume
"""
STORAGE = """\
volume type list
volume set --property a=b volume
volume set --size 2 volume
until available: volume show volume
volume list
volume snapshot create --volume volume snapshot
until available: volume snapshot show snapshot
volume snapshot list
volume create --snapshot snapshot --size 2 restored
until available: volume show restored
volume transfer request create --name gift restored
volume transfer request list
volume transfer request delete `volume transfer request list -f value -c ID`
volume backup create --name backup volume
until available: volume backup show backup
volume backup list
volume backup restore backup volume --force
until available: volume backup show backup
until available: volume show volume
volume backup delete backup
volume snapshot delete snapshot
volume delete restored
image create --file root.tar --disk-format raw --container-format bare own
image set --property os_distro=own own
image save --file saved.tar own
image delete own
container create container
container set --property a=b container
container show container
container list
object create container root.tar
object show container root.tar
object list container
object save --file saved.tar container root.tar
object delete container root.tar
container delete container
object store account show
"""
THE_END = """\
server delete server --wait
server group delete together
image delete picture
volume delete volume
floating ip delete `floating ip list -f value -c "Floating IP Address"`
port delete port
router remove subnet router subnet
router unset --external-gateway router
router delete router
subnet delete subnet
network delete net
security group delete group
keypair delete key
"""
BY_AN_ADMIN = """\
user list
project list
domain list
group list
role list
role assignment list --names
service list
endpoint list
region list
project create shop
user create --project shop --password secret keeper
user set --email keeper@example.org keeper
role add --project shop --user keeper member
user delete keeper
project delete shop
flavor create --ram 128 --vcpus 1 --disk 1 smallest
flavor set --property hw:cpu_policy=shared smallest
flavor delete smallest
hypervisor list
hypervisor show `hypervisor list -f value -c "Hypervisor Hostname"`
compute service list
compute service set --disable `compute service list --service nova-compute -f value -c Host` nova-compute
compute service set --enable `compute service list --service nova-compute -f value -c Host` nova-compute
aggregate list
usage list
server list --all-projects
quota set --cores 21 demo
quota show demo
volume type create fast
volume type set --property a=b fast
volume type set --encryption-provider luks --encryption-control-location front-end fast
volume qos create --property read_iops_sec=100 specs
volume qos associate specs fast
volume qos list
volume qos disassociate --volume-type fast specs
volume qos delete specs
volume type delete fast
volume service list
volume list --all-projects
network create --external --provider-network-type vxlan outside
network segment list
network delete outside
network qos policy create policy
network qos rule create --type bandwidth-limit --max-kbps 1000 policy
network qos rule list policy
network qos policy delete policy
network create shared
network rbac create --type network --action access_as_shared --target-project demo shared
network rbac list
network delete shared
network agent list
image create --file root.tar --disk-format raw --container-format bare --public everybody
image delete everybody
"""


def drive(server: Server, folder: Path, cloud: str, *commands: str) -> subprocess.CompletedProcess[str]:
    (folder / "file").write_text("content")
    with tarfile.open(folder / "root.tar", "w") as tar:
        tar.add(folder / "file", "file")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OS_")}
    return subprocess.run(
        [sys.executable, str(Path(__file__).with_name("openstack_lines.py")), cloud],
        input="".join(commands),
        cwd=folder,
        env={**environment, "OS_CLIENT_CONFIG_FILE": str(server.state_dir / "clouds.yaml")},
        capture_output=True,
        text=True,
    )


def test_a_user_drives_every_service(generous: Server, tmp_path: Path) -> None:
    servers = (A_NETWORK, SPECIAL_NETWORKS, A_SERVER, WHAT_A_SERVER_HAS)

    done = drive(generous, tmp_path, "calor", ABOUT_THE_CLOUD, *servers, STORAGE, THE_END)

    assert done.returncode == 0, done.stderr


def test_an_admin_furnishes_the_cloud(generous: Server, tmp_path: Path) -> None:
    done = drive(generous, tmp_path, "calor-admin", BY_AN_ADMIN)

    assert done.returncode == 0, done.stderr
