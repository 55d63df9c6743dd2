from calor_guest.apply import mustache


class JsonRenderer:
    def render(self, template, context):
        return mustache.render(template, context)
