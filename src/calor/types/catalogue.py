"""Which resource types there are, and where each is declared.

The table spares everyone the import of two hundred modules: a type's module is imported when it is first
asked for.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from calor.language.schema import ResourceType

MODULES: dict[str, str] = {
    "AWS::AutoScaling::AutoScalingGroup": "aws.autoscaling.auto_scaling_group:AutoScalingGroup",
    "AWS::AutoScaling::LaunchConfiguration": "aws.autoscaling.launch_configuration:LaunchConfiguration",
    "AWS::AutoScaling::ScalingPolicy": "aws.autoscaling.scaling_policy:ScalingPolicy",
    "AWS::CloudFormation::Stack": "aws.cloudformation.stack:Stack",
    "AWS::CloudFormation::WaitCondition": "aws.cloudformation.wait_condition:WaitCondition",
    "AWS::CloudFormation::WaitConditionHandle": (
        "aws.cloudformation.wait_condition_handle:WaitConditionHandle"
    ),
    "AWS::CloudWatch::Alarm": "aws.cloudwatch.alarm:Alarm",
    "AWS::EC2::EIP": "aws.ec2.eip:EIP",
    "AWS::EC2::EIPAssociation": "aws.ec2.eip_association:EIPAssociation",
    "AWS::EC2::Instance": "aws.ec2.instance:Instance",
    "AWS::EC2::InternetGateway": "aws.ec2.internet_gateway:InternetGateway",
    "AWS::EC2::NetworkInterface": "aws.ec2.network_interface:NetworkInterface",
    "AWS::EC2::RouteTable": "aws.ec2.route_table:RouteTable",
    "AWS::EC2::SecurityGroup": "aws.ec2.security_group:SecurityGroup",
    "AWS::EC2::Subnet": "aws.ec2.subnet:Subnet",
    "AWS::EC2::SubnetRouteTableAssociation": (
        "aws.ec2.subnet_route_table_association:SubnetRouteTableAssociation"
    ),
    "AWS::EC2::VPC": "aws.ec2.vpc:VPC",
    "AWS::EC2::VPCGatewayAttachment": "aws.ec2.vpc_gateway_attachment:VPCGatewayAttachment",
    "AWS::EC2::Volume": "aws.ec2.volume:Volume",
    "AWS::EC2::VolumeAttachment": "aws.ec2.volume_attachment:VolumeAttachment",
    "AWS::ElasticLoadBalancing::LoadBalancer": "aws.elasticloadbalancing.load_balancer:LoadBalancer",
    "AWS::IAM::AccessKey": "aws.iam.access_key:AccessKey",
    "AWS::IAM::User": "aws.iam.user:User",
    "AWS::RDS::DBInstance": "aws.rds.db_instance:DBInstance",
    "AWS::S3::Bucket": "aws.s3.bucket:Bucket",
    "OS::Aodh::Alarm": "aodh.alarm:Alarm",
    "OS::Aodh::CombinationAlarm": "aodh.combination_alarm:CombinationAlarm",
    "OS::Aodh::CompositeAlarm": "aodh.composite_alarm:CompositeAlarm",
    "OS::Aodh::EventAlarm": "aodh.event_alarm:EventAlarm",
    "OS::Aodh::GnocchiAggregationByMetricsAlarm": (
        "aodh.gnocchi_aggregation_by_metrics_alarm:GnocchiAggregationByMetricsAlarm"
    ),
    "OS::Aodh::GnocchiAggregationByResourcesAlarm": (
        "aodh.gnocchi_aggregation_by_resources_alarm:GnocchiAggregationByResourcesAlarm"
    ),
    "OS::Aodh::GnocchiResourcesAlarm": "aodh.gnocchi_resources_alarm:GnocchiResourcesAlarm",
    "OS::Aodh::LBMemberHealthAlarm": "aodh.lb_member_health_alarm:LBMemberHealthAlarm",
    "OS::Aodh::PrometheusAlarm": "aodh.prometheus_alarm:PrometheusAlarm",
    "OS::Barbican::CertificateContainer": "barbican.certificate_container:CertificateContainer",
    "OS::Barbican::GenericContainer": "barbican.generic_container:GenericContainer",
    "OS::Barbican::Order": "barbican.order:Order",
    "OS::Barbican::RSAContainer": "barbican.rsa_container:RSAContainer",
    "OS::Barbican::Secret": "barbican.secret:Secret",
    "OS::Blazar::Host": "blazar.host:Host",
    "OS::Blazar::Lease": "blazar.lease:Lease",
    "OS::Cinder::EncryptedVolumeType": "cinder.encrypted_volume_type:EncryptedVolumeType",
    "OS::Cinder::QoSAssociation": "cinder.qos_association:QoSAssociation",
    "OS::Cinder::QoSSpecs": "cinder.qos_specs:QoSSpecs",
    "OS::Cinder::Quota": "cinder.quota:Quota",
    "OS::Cinder::Volume": "cinder.volume:Volume",
    "OS::Cinder::VolumeAttachment": "cinder.volume_attachment:VolumeAttachment",
    "OS::Cinder::VolumeType": "cinder.volume_type:VolumeType",
    "OS::Designate::Domain": "designate.domain:Domain",
    "OS::Designate::Record": "designate.record:Record",
    "OS::Designate::RecordSet": "designate.record_set:RecordSet",
    "OS::Designate::Zone": "designate.zone:Zone",
    "OS::Glance::Image": "glance.image:Image",
    "OS::Glance::WebImage": "glance.web_image:WebImage",
    "OS::Heat::AccessPolicy": "heat.access_policy:AccessPolicy",
    "OS::Heat::AutoScalingGroup": "heat.auto_scaling_group:AutoScalingGroup",
    "OS::Heat::CWLiteAlarm": "heat.cw_lite_alarm:CWLiteAlarm",
    "OS::Heat::CloudConfig": "heat.cloud_config:CloudConfig",
    "OS::Heat::Delay": "heat.delay:Delay",
    "OS::Heat::DeployedServer": "heat.deployed_server:DeployedServer",
    "OS::Heat::HARestarter": "heat.ha_restarter:HARestarter",
    "OS::Heat::InstanceGroup": "heat.instance_group:InstanceGroup",
    "OS::Heat::MultipartMime": "heat.multipart_mime:MultipartMime",
    "OS::Heat::None": "heat.none:Nothing",
    "OS::Heat::RandomString": "heat.random_string:RandomString",
    "OS::Heat::ResourceChain": "heat.resource_chain:ResourceChain",
    "OS::Heat::ResourceGroup": "heat.resource_group:ResourceGroup",
    "OS::Heat::ScalingPolicy": "heat.scaling_policy:ScalingPolicy",
    "OS::Heat::SoftwareComponent": "heat.software_component:SoftwareComponent",
    "OS::Heat::SoftwareConfig": "heat.software_config:SoftwareConfig",
    "OS::Heat::SoftwareDeployment": "heat.software_deployment:SoftwareDeployment",
    "OS::Heat::SoftwareDeploymentGroup": "heat.software_deployment_group:SoftwareDeploymentGroup",
    "OS::Heat::SoftwareDeployments": "heat.software_deployments:SoftwareDeployments",
    "OS::Heat::Stack": "heat.stack:Stack",
    "OS::Heat::StructuredConfig": "heat.structured_config:StructuredConfig",
    "OS::Heat::StructuredDeployment": "heat.structured_deployment:StructuredDeployment",
    "OS::Heat::StructuredDeploymentGroup": "heat.structured_deployment_group:StructuredDeploymentGroup",
    "OS::Heat::StructuredDeployments": "heat.structured_deployments:StructuredDeployments",
    "OS::Heat::SwiftSignal": "heat.swift_signal:SwiftSignal",
    "OS::Heat::SwiftSignalHandle": "heat.swift_signal_handle:SwiftSignalHandle",
    "OS::Heat::TestResource": "heat.test_resource:TestResource",
    "OS::Heat::UpdateWaitConditionHandle": "heat.update_wait_condition_handle:UpdateWaitConditionHandle",
    "OS::Heat::Value": "heat.value:Value",
    "OS::Heat::WaitCondition": "heat.wait_condition:WaitCondition",
    "OS::Heat::WaitConditionHandle": "heat.wait_condition_handle:WaitConditionHandle",
    "OS::Ironic::Port": "ironic.port:Port",
    "OS::Keystone::Domain": "keystone.domain:Domain",
    "OS::Keystone::Endpoint": "keystone.endpoint:Endpoint",
    "OS::Keystone::Group": "keystone.group:Group",
    "OS::Keystone::GroupRoleAssignment": "keystone.group_role_assignment:GroupRoleAssignment",
    "OS::Keystone::Project": "keystone.project:Project",
    "OS::Keystone::Region": "keystone.region:Region",
    "OS::Keystone::Role": "keystone.role:Role",
    "OS::Keystone::Service": "keystone.service:Service",
    "OS::Keystone::User": "keystone.user:User",
    "OS::Keystone::UserRoleAssignment": "keystone.user_role_assignment:UserRoleAssignment",
    "OS::Magnum::Bay": "magnum.bay:Bay",
    "OS::Magnum::BayModel": "magnum.bay_model:BayModel",
    "OS::Magnum::Cluster": "magnum.cluster:Cluster",
    "OS::Magnum::ClusterTemplate": "magnum.cluster_template:ClusterTemplate",
    "OS::Manila::SecurityService": "manila.security_service:SecurityService",
    "OS::Manila::Share": "manila.share:Share",
    "OS::Manila::ShareNetwork": "manila.share_network:ShareNetwork",
    "OS::Manila::ShareType": "manila.share_type:ShareType",
    "OS::Mistral::CronTrigger": "mistral.cron_trigger:CronTrigger",
    "OS::Mistral::ExternalResource": "mistral.external_resource:ExternalResource",
    "OS::Mistral::Workflow": "mistral.workflow:Workflow",
    "OS::Monasca::AlarmDefinition": "monasca.alarm_definition:AlarmDefinition",
    "OS::Monasca::Notification": "monasca.notification:Notification",
    "OS::Neutron::AddressScope": "neutron.address_scope:AddressScope",
    "OS::Neutron::ExtraRoute": "neutron.extra_route:ExtraRoute",
    "OS::Neutron::ExtraRouteSet": "neutron.extra_route_set:ExtraRouteSet",
    "OS::Neutron::Firewall": "neutron.firewall:Firewall",
    "OS::Neutron::FirewallPolicy": "neutron.firewall_policy:FirewallPolicy",
    "OS::Neutron::FirewallRule": "neutron.firewall_rule:FirewallRule",
    "OS::Neutron::FloatingIP": "neutron.floating_ip:FloatingIP",
    "OS::Neutron::FloatingIPAssociation": "neutron.floating_ip_association:FloatingIPAssociation",
    "OS::Neutron::FloatingIPPortForward": "neutron.floating_ip_port_forward:FloatingIPPortForward",
    "OS::Neutron::FlowClassifier": "neutron.flow_classifier:FlowClassifier",
    "OS::Neutron::HealthMonitor": "neutron.health_monitor:HealthMonitor",
    "OS::Neutron::IKEPolicy": "neutron.ike_policy:IKEPolicy",
    "OS::Neutron::IPsecPolicy": "neutron.ipsec_policy:IPsecPolicy",
    "OS::Neutron::IPsecSiteConnection": "neutron.ipsec_site_connection:IPsecSiteConnection",
    "OS::Neutron::L2Gateway": "neutron.l2_gateway:L2Gateway",
    "OS::Neutron::L2GatewayConnection": "neutron.l2_gateway_connection:L2GatewayConnection",
    "OS::Neutron::LBaaS::HealthMonitor": "neutron.lbaas.health_monitor:HealthMonitor",
    "OS::Neutron::LBaaS::L7Policy": "neutron.lbaas.l7_policy:L7Policy",
    "OS::Neutron::LBaaS::L7Rule": "neutron.lbaas.l7_rule:L7Rule",
    "OS::Neutron::LBaaS::Listener": "neutron.lbaas.listener:Listener",
    "OS::Neutron::LBaaS::LoadBalancer": "neutron.lbaas.load_balancer:LoadBalancer",
    "OS::Neutron::LBaaS::Pool": "neutron.lbaas.pool:Pool",
    "OS::Neutron::LBaaS::PoolMember": "neutron.lbaas.pool_member:PoolMember",
    "OS::Neutron::LoadBalancer": "neutron.load_balancer:LoadBalancer",
    "OS::Neutron::MeteringLabel": "neutron.metering_label:MeteringLabel",
    "OS::Neutron::MeteringRule": "neutron.metering_rule:MeteringRule",
    "OS::Neutron::Net": "neutron.net:Net",
    "OS::Neutron::NetworkGateway": "neutron.network_gateway:NetworkGateway",
    "OS::Neutron::Pool": "neutron.pool:Pool",
    "OS::Neutron::PoolMember": "neutron.pool_member:PoolMember",
    "OS::Neutron::Port": "neutron.port:Port",
    "OS::Neutron::PortChain": "neutron.port_chain:PortChain",
    "OS::Neutron::PortPair": "neutron.port_pair:PortPair",
    "OS::Neutron::PortPairGroup": "neutron.port_pair_group:PortPairGroup",
    "OS::Neutron::ProviderNet": "neutron.provider_net:ProviderNet",
    "OS::Neutron::QoSBandwidthLimitRule": "neutron.qos_bandwidth_limit_rule:QoSBandwidthLimitRule",
    "OS::Neutron::QoSDscpMarkingRule": "neutron.qos_dscp_marking_rule:QoSDscpMarkingRule",
    "OS::Neutron::QoSMinimumBandwidthRule": "neutron.qos_minimum_bandwidth_rule:QoSMinimumBandwidthRule",
    "OS::Neutron::QoSMinimumPacketRateRule": "neutron.qos_minimum_packet_rate_rule:QoSMinimumPacketRateRule",
    "OS::Neutron::QoSPolicy": "neutron.qos_policy:QoSPolicy",
    "OS::Neutron::Quota": "neutron.quota:Quota",
    "OS::Neutron::RBACPolicy": "neutron.rbac_policy:RBACPolicy",
    "OS::Neutron::Router": "neutron.router:Router",
    "OS::Neutron::RouterGateway": "neutron.router_gateway:RouterGateway",
    "OS::Neutron::RouterInterface": "neutron.router_interface:RouterInterface",
    "OS::Neutron::SecurityGroup": "neutron.security_group:SecurityGroup",
    "OS::Neutron::SecurityGroupRule": "neutron.security_group_rule:SecurityGroupRule",
    "OS::Neutron::Segment": "neutron.segment:Segment",
    "OS::Neutron::Subnet": "neutron.subnet:Subnet",
    "OS::Neutron::SubnetPool": "neutron.subnet_pool:SubnetPool",
    "OS::Neutron::TaaS::TapFlow": "neutron.taas.tap_flow:TapFlow",
    "OS::Neutron::TaaS::TapService": "neutron.taas.tap_service:TapService",
    "OS::Neutron::Trunk": "neutron.trunk:Trunk",
    "OS::Neutron::VPNService": "neutron.vpn_service:VPNService",
    "OS::Nova::Flavor": "nova.flavor:Flavor",
    "OS::Nova::FloatingIP": "nova.floating_ip:FloatingIP",
    "OS::Nova::FloatingIPAssociation": "nova.floating_ip_association:FloatingIPAssociation",
    "OS::Nova::HostAggregate": "nova.host_aggregate:HostAggregate",
    "OS::Nova::KeyPair": "nova.key_pair:KeyPair",
    "OS::Nova::Quota": "nova.quota:Quota",
    "OS::Nova::Server": "nova.server:Server",
    "OS::Nova::ServerGroup": "nova.server_group:ServerGroup",
    "OS::Octavia::AvailabilityZone": "octavia.availability_zone:AvailabilityZone",
    "OS::Octavia::AvailabilityZoneProfile": "octavia.availability_zone_profile:AvailabilityZoneProfile",
    "OS::Octavia::Flavor": "octavia.flavor:Flavor",
    "OS::Octavia::FlavorProfile": "octavia.flavor_profile:FlavorProfile",
    "OS::Octavia::HealthMonitor": "octavia.health_monitor:HealthMonitor",
    "OS::Octavia::L7Policy": "octavia.l7_policy:L7Policy",
    "OS::Octavia::L7Rule": "octavia.l7_rule:L7Rule",
    "OS::Octavia::Listener": "octavia.listener:Listener",
    "OS::Octavia::LoadBalancer": "octavia.load_balancer:LoadBalancer",
    "OS::Octavia::Pool": "octavia.pool:Pool",
    "OS::Octavia::PoolMember": "octavia.pool_member:PoolMember",
    "OS::Octavia::Quota": "octavia.quota:Quota",
    "OS::Sahara::Cluster": "sahara.cluster:Cluster",
    "OS::Sahara::ClusterTemplate": "sahara.cluster_template:ClusterTemplate",
    "OS::Sahara::DataSource": "sahara.data_source:DataSource",
    "OS::Sahara::ImageRegistry": "sahara.image_registry:ImageRegistry",
    "OS::Sahara::Job": "sahara.job:Job",
    "OS::Sahara::JobBinary": "sahara.job_binary:JobBinary",
    "OS::Sahara::NodeGroupTemplate": "sahara.node_group_template:NodeGroupTemplate",
    "OS::Senlin::Cluster": "senlin.cluster:Cluster",
    "OS::Senlin::Node": "senlin.node:Node",
    "OS::Senlin::Policy": "senlin.policy:Policy",
    "OS::Senlin::Profile": "senlin.profile:Profile",
    "OS::Senlin::Receiver": "senlin.receiver:Receiver",
    "OS::Swift::Container": "swift.container:Container",
    "OS::Trove::Cluster": "trove.cluster:Cluster",
    "OS::Trove::Instance": "trove.instance:Instance",
    "OS::Vitrage::Template": "vitrage.template:Template",
    "OS::Zaqar::MistralTrigger": "zaqar.mistral_trigger:MistralTrigger",
    "OS::Zaqar::Queue": "zaqar.queue:Queue",
    "OS::Zaqar::SignedQueueURL": "zaqar.signed_queue_url:SignedQueueURL",
    "OS::Zaqar::Subscription": "zaqar.subscription:Subscription",
    "OS::Zun::Container": "zun.container:Container",
}
"""Module and class of each built-in type, relative to `calor.types`."""

ALIASES: dict[str, str] = {
    "OS::Ceilometer::Alarm": "OS::Aodh::Alarm",
    "OS::Ceilometer::CombinationAlarm": "OS::Aodh::CombinationAlarm",
    "OS::Ceilometer::GnocchiAggregationByMetricsAlarm": "OS::Aodh::GnocchiAggregationByMetricsAlarm",
    "OS::Ceilometer::GnocchiAggregationByResourcesAlarm": "OS::Aodh::GnocchiAggregationByResourcesAlarm",
    "OS::Ceilometer::GnocchiResourcesAlarm": "OS::Aodh::GnocchiResourcesAlarm",
    "OS::Heat::StructuredDeploymentsGroup": "OS::Heat::StructuredDeploymentGroup",
    "OS::Metering::Alarm": "OS::Aodh::Alarm",
    "OS::Quantum*": "OS::Neutron*",
}
"""Old names of types. With a `*` at the end, all names that start like the alias."""

STAND_INS: dict[str, str] = {"OS::Heat::ScaledResource": "AWS::EC2::Instance"}
"""Names that stand for a type unless the environment says otherwise."""


def declaration(type_name: str) -> type[ResourceType] | None:
    """The class that declares a type, or None if there is no such type."""
    return _built_in(type_name) if type_name in MODULES else _plugins().get(type_name)


def names() -> list[str]:
    """The names of all types, plug-ins' included."""
    return sorted([*MODULES, *_plugins()])


def load_plugins() -> None:
    """Finds the plug-ins now instead of when a type is asked for that is not built in."""
    _plugins()


@cache
def _built_in(type_name: str) -> type[ResourceType]:
    module, _, name = MODULES[type_name].partition(":")
    found: type[ResourceType] = getattr(import_module(f"calor.types.{module}"), name)
    return found


@cache
def _plugins() -> dict[str, type[ResourceType]]:
    # Most templates use built-in types only.
    from calor.types import plugins

    # What a built-in type means must not depend on what else is installed.
    return plugins.load(taken=MODULES)
