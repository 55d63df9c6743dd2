"""Configuration files and the environment."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from oslo_config import cfg

from calor.config.loading import ConfigError, LoadedConfig, load
from calor.config.options import sections
from calor.config.settings import Settings
from calor.config.showing import effective_options, sample
from calor.config.translating import settings_of
from calor.server.settings import server_settings

Read = Callable[[str], LoadedConfig]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(text: str) -> LoadedConfig:
        file = tmp_path / "heat.conf"
        file.write_text(text)
        return load(cfg.ConfigOpts(), [file])

    return read


def default_settings() -> Settings:
    return settings_of(load(cfg.ConfigOpts()))


class TestDefaults:
    """They suit a server without any set-up."""

    def test_limits(self) -> None:
        limits = default_settings().limits
        assert limits.stacks_per_project is None
        assert limits.resources_per_stack == 10_000
        assert limits.template_size == 16 * 1024 * 1024
        assert limits.nested_depth == 5

    def test_events_are_kept_by_age_and_not_by_number(self) -> None:
        engine = default_settings().engine
        assert engine.event_age == 30 * 86_400
        assert engine.deleted_stack_age == 30 * 86_400
        assert engine.events_per_stack is None

    def test_stacks(self) -> None:
        settings = default_settings()
        assert settings.api.hidden_tags == ("data-processing-cluster", "hidden")
        assert settings.api.enable_adopt
        assert settings.api.enable_abandon
        assert settings.engine.action_timeout == 3600

    def test_agents_look_for_changes_more_often_in_the_embedded_cloud(self, read: Read) -> None:
        account = (
            "[keystone_authtoken]\nauth_url = http://k/v3\nusername = heat\npassword = p\nproject_name = s\n"
        )
        assert server_settings(default_settings()).agent_polling_interval == 3
        assert server_settings(settings_of(read(account))).agent_polling_interval is None
        chosen = settings_of(read(account + "[calor]\nagent_polling_interval = 10\n"))
        assert server_settings(chosen).agent_polling_interval == 10

    def test_the_embedded_identity_service_and_key_are_used(self) -> None:
        settings = default_settings()
        assert settings.auth.account is None
        assert settings.auth.flavor == "keystone"
        assert settings.encryption_keys == ()
        assert not settings.seal_all
        assert settings.database_url is None

    def test_without_a_file_nothing_is_read_from_where_the_command_runs(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "policy.yaml").write_text("")
        (tmp_path / "environment.d").mkdir()
        monkeypatch.chdir(tmp_path)

        settings = default_settings()

        assert settings.auth.policy_file is None
        assert settings.engine.environment_dir is None


class TestSources:
    def test_later_files_count_more(self, tmp_path: Path) -> None:
        for name, number in (("a.conf", 1), ("b.conf", 2)):
            (tmp_path / name).write_text(f"[DEFAULT]\nmax_stacks_per_tenant = {number}\n")

        settings = settings_of(load(cfg.ConfigOpts(), [tmp_path / "a.conf", tmp_path / "b.conf"]))

        assert settings.limits.stacks_per_project == 2

    def test_the_environment_counts_most(self, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OS_DEFAULT__MAX_STACKS_PER_TENANT", "9")

        loaded = read("[DEFAULT]\nmax_stacks_per_tenant = 1\n")

        assert settings_of(loaded).limits.stacks_per_project == 9
        assert origin(loaded, "max_stacks_per_tenant") == "environment (OS_DEFAULT__MAX_STACKS_PER_TENANT)"

    def test_two_configurations_know_nothing_of_each_other(self, read: Read) -> None:
        read("[DEFAULT]\nmax_stacks_per_tenant = 1\n")

        assert default_settings().limits.stacks_per_project is None

    def test_old_names_still_count(self, read: Read) -> None:
        loaded = read("[DEFAULT]\nsql_connection = sqlite:///old.db\nstack_user_domain = abc\n")

        settings = settings_of(loaded)

        assert settings.database_url == "sqlite:///old.db"
        assert settings.users.domain_id == "abc"
        assert loaded.findings() == []

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[DEFAULT]\n\nmax_stacks_per_tenant = x\n", "heat.conf:3: [DEFAULT] max_stacks_per_tenant: "),
            ("[DEFAULT]\nmax_template_size = 0\n", "heat.conf:2: [DEFAULT] max_template_size: "),
            ("[paste_deploy]\nflavor = open\n", "heat.conf:2: [paste_deploy] flavor: "),
            ("max_stacks_per_tenant = 3\n", "heat.conf"),
            ("[DEFAULT]\nnonsense\n", "heat.conf:2"),
            ("[DEFAULT]\nauth_encryption_key = short\n", "auth_encryption_key: a key has 5 characters"),
            ("[heat_api]\ncert_file = /c.pem\n", "[heat_api] cert_file and key_file belong together"),
            ("[heat_api]\ncert_file = /no.pem\nkey_file = /no.pem\n", "/no.pem does not exist"),
            ("[keystone_authtoken]\nauth_url = http://k\n", "[keystone_authtoken] username is missing"),
            ("[DEFAULT]\nnum_engine_workers = two\n", "num_engine_workers: 'two' is not a whole number"),
            ("[calor]\nevent_days = few\n", "event_days: 'few' is not a number"),
            ("[DEFAULT]\ndebug = perhaps\n", "debug: 'perhaps' is neither true nor false"),
            ("[calor]\npublic_url = heat.example\n", "'heat.example' is not a URL"),
            ("[auth_password]\nmulti_cloud = true\n", "multi_cloud needs allowed_auth_uris"),
        ],
    )
    def test_errors_are_reported_with_their_place(self, read: Read, text: str, message: str) -> None:
        with pytest.raises(ConfigError) as caught:
            settings_of(read(text))

        assert message in str(caught.value)

    def test_a_file_that_is_not_there(self) -> None:
        with pytest.raises(ConfigError, match=r"configuration file not found: /nowhere/heat\.conf"):
            load(cfg.ConfigOpts(), ["/nowhere/heat.conf"])


class TestFindings:
    def reported(self, loaded: LoadedConfig) -> list[str]:
        return [str(finding).rpartition("/")[2] for finding in loaded.findings()]

    def test_options_of_heat_that_mean_nothing_here(self, read: Read) -> None:
        loaded = read("[DEFAULT]\nrpc_response_timeout = 60\n[oslo_messaging_rabbit]\nssl = true\n")

        assert [finding.known for finding in loaded.findings()] == [True, True]
        assert self.reported(loaded)[0] == (
            "heat.conf:2: [DEFAULT] rpc_response_timeout has no effect: there is no message bus"
        )

    def test_unknown_options(self, read: Read) -> None:
        loaded = read("[DEFAULT]\nmax_stack_per_tenant = 1\nflavor = x\n[here]\nthere = y\n")

        assert not any(finding.known for finding in loaded.findings())
        assert self.reported(loaded) == [
            "heat.conf:2: unknown option [DEFAULT] max_stack_per_tenant; did you mean max_stacks_per_tenant?",
            "heat.conf:3: unknown option [DEFAULT] flavor; it belongs in [paste_deploy]",
            "heat.conf:5: unknown option [here] there",
        ]

    def test_a_slip_in_a_section_with_ignored_options_is_still_one(self, read: Read) -> None:
        loaded = read("[database]\nconection = sqlite://\nmax_pool_size = 3\n")

        assert [finding.known for finding in loaded.findings()] == [False, True]

    def test_a_policy_file_that_is_missing_leaves_the_default_rules(self, read: Read) -> None:
        loaded = read("[oslo_policy]\npolicy_file = none.yaml\n")

        assert settings_of(loaded).auth.policy_file is None
        assert self.reported(loaded) == [
            "heat.conf:2: [oslo_policy] policy_file: none.yaml does not exist; the default rules apply"
        ]

    def test_what_is_for_a_plug_in_is_left_to_it(self, read: Read) -> None:
        loaded = read("[custombackend]\nword = sesame\n")

        assert loaded.findings() == []
        assert settings_of(loaded).auth.backend_settings == {"word": "sesame"}

    def test_the_usual_file_of_an_installation_is_understood(self, read: Read) -> None:
        loaded = read(USUAL)

        assert [str(finding) for finding in loaded.findings() if not finding.known] == []
        settings = settings_of(loaded)
        assert settings.database_url == "mysql+pymysql://heat:pw@db/heat"
        assert settings.auth.account is not None
        assert settings.auth.account.auth_url == "http://controller:5000"
        assert settings.auth.account.user_domain_name == "default"
        assert settings.auth.trustee is not None
        assert settings.auth.trustee.password == "pw"
        assert (settings.users.domain_name, settings.users.admin) == ("heat", "heat_domain_admin")
        assert settings.api.servers_cfn_url == "http://controller:8000"


USUAL = """
[DEFAULT]
transport_url = rabbit://openstack:pw@controller
heat_metadata_server_url = http://controller:8000
heat_waitcondition_server_url = http://controller:8000/v1/waitcondition
stack_domain_admin = heat_domain_admin
stack_domain_admin_password = pw
stack_user_domain_name = heat
deferred_auth_method = trusts
log_dir = /var/log/heat
use_syslog = false
convergence_engine = true
num_engine_workers = 4
[cache]
enabled = true
backend = dogpile.cache.memcached
[clients]
endpoint_type = internalURL
[clients_heat]
endpoint_type = publicURL
[clients_keystone]
auth_uri = http://controller:5000
[database]
connection = mysql+pymysql://heat:pw@db/heat
max_retries = -1
connection_recycle_time = 280
[ec2authtoken]
auth_uri = http://controller:5000/v3
[heat_api]
bind_host = 10.0.0.11
workers = 4
[heat_api_cfn]
bind_host = 10.0.0.11
workers = 4
[keystone_authtoken]
www_authenticate_uri = http://controller:5000
auth_url = http://controller:5000
memcached_servers = controller:11211
auth_type = password
project_domain_name = default
user_domain_name = default
project_name = service
username = heat
password = pw
service_token_roles_required = true
[oslo_concurrency]
lock_path = /var/lib/heat/tmp
[oslo_messaging_notifications]
driver = messagingv2
[oslo_middleware]
enable_proxy_headers_parsing = true
[oslo_policy]
enforce_scope = true
[trustee]
auth_type = password
auth_url = http://controller:5000
username = heat
password = pw
user_domain_name = default
[yaql]
limit_iterators = 400
"""


class TestValues:
    def test_the_key_is_that_of_heat(self, read: Read) -> None:
        settings = settings_of(read(f"[DEFAULT]\nauth_encryption_key = {'k' * 32}\n"))

        assert settings.encryption_keys == (base64.urlsafe_b64encode(b"k" * 32),)

    def test_several_keys_are_separated_by_commas(self, read: Read) -> None:
        settings = settings_of(read(f"[DEFAULT]\nauth_encryption_key = {'n' * 32}, {'o' * 32}\n"))

        assert settings.encryption_keys == tuple(base64.urlsafe_b64encode(one * 32) for one in (b"n", b"o"))

    def test_a_key_may_have_a_comma(self, read: Read) -> None:
        key = "a,b" + "k" * 29

        settings = settings_of(read(f"[DEFAULT]\nauth_encryption_key = {key}\n"))

        assert settings.encryption_keys == (base64.urlsafe_b64encode(key.encode()),)

    def test_a_short_key_is_doubled_as_heat_does(self, read: Read) -> None:
        settings = settings_of(read(f"[DEFAULT]\nauth_encryption_key = {'k' * 16}\n"))

        assert settings.encryption_keys == (base64.urlsafe_b64encode(b"k" * 32),)

    def test_paths_start_at_the_file(self, read: Read, tmp_path: Path) -> None:
        (tmp_path / "policy.yaml").write_text("")

        settings = settings_of(read("[DEFAULT]\nenvironment_dir = env\ntemplate_dir = /abs\n"))

        assert settings.auth.policy_file == tmp_path / "policy.yaml"
        assert settings.engine.environment_dir == tmp_path / "env"
        assert settings.engine.template_dir == Path("/abs")

    def test_minus_one_is_unlimited_and_zero_days_is_forever(self, read: Read) -> None:
        settings = settings_of(
            read(
                "[DEFAULT]\nmax_resources_per_stack = -1\n[calor]\nevent_days = 0\ndeleted_stack_days = 0.5\n"
            )
        )

        assert settings.limits.resources_per_stack is None
        assert settings.engine.event_age is None
        assert settings.engine.deleted_stack_age == 43_200

    def test_the_lower_limit_for_bodies_holds(self, read: Read) -> None:
        text = "[DEFAULT]\nmax_json_body_size = 500\n[oslo_middleware]\nmax_request_body_size = 400\n"

        assert settings_of(read(text)).api.largest_body == 400

    def test_secrets_do_not_show_in_a_log(self, read: Read) -> None:
        text = f"[DEFAULT]\nauth_encryption_key = {'k' * 32}\n[database]\nconnection = mysql://u:pw@h/d\n"

        shown = repr(settings_of(read(text)))

        assert base64.urlsafe_b64encode(b"k" * 32).decode() not in shown
        assert "pw" not in shown


class TestShowing:
    def test_every_value_has_an_origin(self, read: Read) -> None:
        loaded = read("[DEFAULT]\ndebug = false\ndebug = true\n")

        assert origin(loaded, "debug").endswith("heat.conf:3")
        assert origin(loaded, "max_stacks_per_tenant") == "default"

    def test_secrets_are_hidden(self, read: Read) -> None:
        shown = {
            one.name: one.value
            for one in effective_options(read("[database]\nconnection = mysql://u:pw@h/d\n"))
        }

        assert shown["connection"] == "****"

    def test_the_sample_is_a_file_that_changes_nothing(self, read: Read) -> None:
        loaded = read(sample())

        assert settings_of(loaded).limits == default_settings().limits
        assert loaded.occurrences == ()

    def test_the_sample_has_every_option_at_its_default(self, read: Read, tmp_path: Path) -> None:
        given = "\n".join(
            line[1:] if line[:1] == "#" and line[1:2] != " " and not line.endswith("=") else line
            for line in sample().splitlines()
        )
        loaded = read(given)

        assert loaded.findings() == []
        before = {(one.section, one.name): one.value for one in effective_options(load(cfg.ConfigOpts()))}
        assert {(one.section, one.name): one.value for one in effective_options(loaded)} == before
        assert before.keys() == {(s, option.name) for s, options in sections().items() for option in options}

    def test_every_option_is_explained(self) -> None:
        for section, options in sections().items():
            for option in options:
                assert option.help, f"[{section}] {option.name}"


def origin(loaded: LoadedConfig, name: str) -> str:
    return next(one.origin for one in effective_options(loaded) if one.name == name)


class TestLogging:
    @pytest.mark.parametrize(
        ("text", "file"),
        [
            ("", None),
            ("log_file = /var/log/x.log\n", "/var/log/x.log"),
            ("log_dir = /var/log/heat\n", "/var/log/heat/calor.log"),
            ("log_dir = /var/log/heat\nlog_file = heat.log\n", "/var/log/heat/heat.log"),
            ("logdir = /var/log/heat\nlogfile = /else/heat.log\n", "/else/heat.log"),
        ],
    )
    def test_is_written_where_heats_options_name_it(self, read: Read, text: str, file: str | None) -> None:
        assert settings_of(read(f"[DEFAULT]\n{text}")).logging.file == file

    @pytest.mark.parametrize(
        ("text", "json_lines"),
        [("", False), ("[DEFAULT]\nuse_json = true\n", True), ("[calor]\nlog_format = json\n", True)],
    )
    def test_has_two_forms(self, read: Read, text: str, json_lines: bool) -> None:
        assert settings_of(read(text)).logging.json_lines is json_lines

    def test_lines_for_requests_can_be_left_out(self, read: Read) -> None:
        assert settings_of(read("")).logging.requests
        assert not settings_of(read("[calor]\naccess_log = false\n")).logging.requests

    def test_metrics_can_have_a_separate_address(self, read: Read) -> None:
        assert settings_of(read("")).metrics_address is None
        assert settings_of(read("[calor]\nmetrics_port = 9108\n")).metrics_address == ("127.0.0.1", 9108)


KEYSTONE = "[keystone_authtoken]\nauth_url = http://k\nusername = heat\npassword = pw\n"


class TestCredentials:
    def test_an_application_credential_stands_for_the_service_user(self, read: Read) -> None:
        text = (
            "[keystone_authtoken]\nauth_url = http://k\nauth_type = v3applicationcredential\n"
            "application_credential_id = abc\napplication_credential_secret = shh\n"
            "[trustee]\nusername = heat\npassword = pw\n"
        )
        auth = settings_of(read(text)).auth

        assert auth.account is not None
        assert auth.account.application_credential is not None
        assert auth.account.application_credential.id == "abc"
        assert auth.trustee is not None
        assert auth.trustee.username == "heat"
        assert "shh" not in repr(auth)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("auth_type = v3applicationcredential\n", "application_credential_secret is missing"),
            (
                "auth_type = v3applicationcredential\napplication_credential_secret = s\n",
                "application_credential_id is missing",
            ),
            (
                "auth_type = v3applicationcredential\napplication_credential_secret = s\n"
                "application_credential_name = n\n",
                "username is missing",
            ),
            (
                "auth_type = v3applicationcredential\napplication_credential_secret = s\n"
                "application_credential_id = n\n",
                "[trustee] username is missing",
            ),
            ("auth_type = v3oidcpassword\n", "v3oidcpassword is not supported"),
        ],
    )
    def test_missing_options_are_reported(self, read: Read, text: str, message: str) -> None:
        with pytest.raises(ConfigError) as caught:
            settings_of(read(f"[keystone_authtoken]\nauth_url = http://k\n{text}"))

        assert message in str(caught.value)

    def test_ids_and_default_domains_count(self, read: Read) -> None:
        text = "user_id = u\nproject_id = p\ndefault_domain_name = D\n"
        account = settings_of(
            read(f"[keystone_authtoken]\nauth_url = http://k\npassword = pw\n{text}")
        ).auth.account

        assert account is not None
        assert (account.user_id, account.project_id) == ("u", "p")
        assert (account.user_domain_name, account.project_domain_name) == ("D", "D")

    def test_another_section_may_have_them(self, read: Read) -> None:
        loaded = read(
            "[keystone_authtoken]\nauth_section = keystone\n"
            "[keystone]\nauth_url = http://k\nusername = heat\npassword = pw\n"
        )
        account = settings_of(loaded).auth.account

        assert loaded.findings() == []
        assert account is not None
        assert (account.auth_url, account.username) == ("http://k", "heat")

    def test_signatures_may_be_checked_by_somebody_else(self, read: Read) -> None:
        text = "[ec2authtoken]\nauth_url = http://e\nusername = ec2\npassword = pw\ncafile = /ca.pem\n"
        [(account, certificates)] = settings_of(read(KEYSTONE + text)).auth.signature_accounts

        assert (account.auth_url, account.username) == ("http://e", "ec2")
        assert certificates.ca_file == "/ca.pem"

    def test_signatures_may_be_checked_by_several_clouds(self, read: Read) -> None:
        loaded = read(
            KEYSTONE + "[ec2authtoken]\nmulti_cloud = true\nclouds = a, b\n"
            "[ec2authtoken.a]\nauth_url = http://a\nusername = u\npassword = p\n"
            "[ec2authtoken.b]\nauth_url = http://b\nusername = u\npassword = p\ninsecure = true\n"
        )
        found = settings_of(loaded).auth.signature_accounts

        assert loaded.findings() == []
        assert [(account.auth_url, how.insecure) for account, how in found] == [
            ("http://a", False),
            ("http://b", True),
        ]

    def test_several_clouds_need_names(self, read: Read) -> None:
        with pytest.raises(ConfigError, match="multi_cloud needs clouds"):
            settings_of(read(KEYSTONE + "[ec2authtoken]\nmulti_cloud = true\n"))


class TestClients:
    def test_a_service_may_be_reached_in_its_own_way(self, read: Read) -> None:
        text = (
            "[clients_nova]\nendpoint_type = internalURL\nca_file = /ca.pem\n"
            "[clients_glance]\ninsecure = true\n[clients_heat]\nurl = http://h/v1/%(tenant_id)s\n"
        )
        loaded = read(text)
        clients = settings_of(loaded).auth.clients.services

        assert loaded.findings() == []
        assert clients.keys() == {"nova", "glance", "heat"}
        assert (clients["nova"].endpoint_type, clients["nova"].ca_file) == ("internal", "/ca.pem")
        assert clients["glance"].insecure
        assert clients["heat"].url == "http://h/v1/%(tenant_id)s"

    def test_shared_services_and_newest_versions(self, read: Read) -> None:
        text = (
            "[DEFAULT]\nregion_name_for_shared_services = Shared\nshared_services_types = image\n"
            "max_nova_api_microversion = 2.53\nmax_ironic_api_microversion = 1.50\n"
        )
        loaded = read(text)
        clients = settings_of(loaded).auth.clients

        assert (clients.shared_region, clients.shared_types) == ("Shared", ("image",))
        assert clients.newest_versions == {"nova": "2.53"}
        assert [finding.known for finding in loaded.findings()] == [True]

    def test_an_invalid_version_is_reported(self, read: Read) -> None:
        with pytest.raises(ConfigError, match="'latest' is not a version"):
            settings_of(read("[DEFAULT]\nmax_nova_api_microversion = latest\n"))
