"""An issuer of tokens, made of the openssl command: keys, the JWK set that shows them, tokens."""

import base64
import json
import pathlib
import subprocess
import tempfile
import time


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*args, data=None):
    return subprocess.run(["openssl", *args], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=True).stdout


def from_der(der):
    """r and s of an ECDSA signature side by side, 32 bytes each."""
    at, out = 2, b""
    for _ in range(2):
        size = der[at + 1]
        out += der[at + 2:at + 2 + size].lstrip(b"\0").rjust(32, b"\0")
        at += 2 + size
    return out


class Key:
    """A private key and its kid.  kind: RS256, PS256, ES256 or EdDSA."""

    OPTIONS = {"RS256": ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"),
               "PS256": ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"),
               "ES256": ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"),
               "EdDSA": ("-algorithm", "ED25519")}

    def __init__(self, kind, kid):
        self.kind, self.kid = kind, kid
        self.pem = openssl("genpkey", *self.OPTIONS[kind])

    def public(self):
        return openssl("pkey", "-pubout", "-outform", "DER", data=self.pem)

    def jwk(self):
        der = self.public()
        if self.kind == "EdDSA":
            members = {"kty": "OKP", "crv": "Ed25519", "x": b64(der[-32:])}
        elif self.kind == "ES256":
            members = {"kty": "EC", "crv": "P-256", "x": b64(der[-64:-32]), "y": b64(der[-32:])}
        else:
            text = openssl("rsa", "-pubin", "-inform", "DER", "-noout", "-modulus", data=der).decode()
            members = {"kty": "RSA", "n": b64(bytes.fromhex(text.strip().split("=")[1])), "e": "AQAB"}
        return {**members, "kid": self.kid}

    def signature(self, data):
        with tempfile.TemporaryDirectory() as folder:
            pem, text = pathlib.Path(folder, "pem"), pathlib.Path(folder, "text")
            pem.write_bytes(self.pem)
            text.write_bytes(data)
            if self.kind == "EdDSA":
                return openssl("pkeyutl", "-sign", "-rawin", "-inkey", str(pem), "-in", str(text))
            pss = ("-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32") if self.kind == "PS256" else ()
            signed = openssl("dgst", "-sha256", "-sign", str(pem), *pss, str(text))
            return from_der(signed) if self.kind == "ES256" else signed


class Issuer:
    """https://as.example, which gives out tokens for one resource."""

    name = "https://as.example"

    def __init__(self, resource, kinds=("ES256",)):
        self.resource = resource
        self.keys = [Key(kind, f"{kind}-{i}") for i, kind in enumerate(kinds)]

    def jwks(self):
        return json.dumps({"keys": [key.jwk() for key in self.keys]})

    def token(self, sub="alice", scope="toolhost:call", key=None, header=None, signature=None, **claims):
        """claims: more of them, or others; None takes one out."""
        key = key or self.keys[0]
        head = {"alg": key.kind, "typ": "at+jwt", "kid": key.kid, **(header or {})}
        now = int(time.time())
        body = {"iss": self.name, "aud": self.resource, "sub": sub, "scope": scope, "iat": now, "exp": now + 600,
                **claims}
        text = ".".join(b64(json.dumps({k: v for k, v in part.items() if v is not None}).encode())
                        for part in (head, body)).encode()
        return text.decode() + "." + b64(key.signature(text) if signature is None else signature(text))
