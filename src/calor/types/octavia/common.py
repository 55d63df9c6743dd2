from calor.language.constraints import one_of

PROTOCOLS = one_of("TCP", "HTTP", "HTTPS", "TERMINATED_HTTPS", "PROXY", "UDP")
