"""Cascading deletes. Each function is to be called within a transaction."""

from __future__ import annotations

from calor.localcloud.identity.records import ApplicationCredential, Project, Records, Trust


def remove_user(records: Records, user_id: str) -> None:
    for trust in (
        *records.trusts.find(trustor_user_id=user_id),
        *records.trusts.find(trustee_user_id=user_id),
    ):
        remove_trust(records, trust)
    for credential in records.application_credentials.find(user_id=user_id):
        remove_application_credential(records, credential)
    records.tokens.remove_where(user_id=user_id)
    records.credentials.remove_where(user_id=user_id)
    records.memberships.remove_where(user_id=user_id)
    records.assignments.remove_where(actor_id=user_id)
    records.users.remove(user_id)


def remove_group(records: Records, group_id: str) -> None:
    records.memberships.remove_where(group_id=group_id)
    records.assignments.remove_where(actor_id=group_id)
    records.groups.remove(group_id)


def remove_project(records: Records, project: Project) -> None:
    for trust in records.trusts.find(project_id=project.id):
        remove_trust(records, trust)
    for credential in records.application_credentials.find(project_id=project.id):
        remove_application_credential(records, credential)
    records.tokens.remove_where(project_id=project.id)
    records.credentials.remove_where(project_id=project.id)
    records.assignments.remove_where(target_id=project.id)
    records.projects.remove(project.id)


def remove_domain(records: Records, domain: Project) -> None:
    for user in records.users.find(domain_id=domain.id):
        remove_user(records, user.id)
    for group in records.groups.find(domain_id=domain.id):
        remove_group(records, group.id)
    for project in records.projects.find(domain_id=domain.id):
        remove_project(records, project)
    for role in records.roles.find(domain_id=domain.id):
        remove_role(records, role.id)
    records.tokens.remove_where(domain_id=domain.id)
    remove_project(records, domain)


def remove_role(records: Records, role_id: str) -> None:
    for trust in records.trusts.find():
        if role_id in trust.role_ids:
            remove_trust(records, trust)
    for credential in records.application_credentials.find():
        if role_id in credential.role_ids:
            remove_application_credential(records, credential)
    records.assignments.remove_where(role_id=role_id)
    records.implications.remove_where(prior_id=role_id)
    records.implications.remove_where(implied_id=role_id)
    records.roles.remove(role_id)


def remove_trust(records: Records, trust: Trust) -> None:
    """Removes a trust, and those redelegated from it."""
    for further in records.trusts.find(redelegated_trust_id=trust.id):
        remove_trust(records, further)
    records.tokens.remove_where(trust_id=trust.id)
    records.trusts.remove(trust.id)


def remove_application_credential(records: Records, credential: ApplicationCredential) -> None:
    records.tokens.remove_where(application_credential_id=credential.id)
    records.application_credentials.remove(credential.id)


def revoke_tokens_of_user(records: Records, user_id: str) -> None:
    """Those of the user, and those by trusts that the user gave or was given."""
    for trust in (
        *records.trusts.find(trustor_user_id=user_id),
        *records.trusts.find(trustee_user_id=user_id),
    ):
        records.tokens.remove_where(trust_id=trust.id)
    records.tokens.remove_where(user_id=user_id)


def revoke_tokens_of_domain(records: Records, domain_id: str) -> None:
    """Those of its users, and those for it and its projects."""
    for user in records.users.find(domain_id=domain_id):
        revoke_tokens_of_user(records, user.id)
    for project in records.projects.find(domain_id=domain_id):
        records.tokens.remove_where(project_id=project.id)
    records.tokens.remove_where(domain_id=domain_id)
