from calor_guest.collect.deployments import with_deployments


def merged_list_from_content(content, keys, name):
    return with_deployments(name, content, keys)
