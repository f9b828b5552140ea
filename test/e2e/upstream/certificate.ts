import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export type Certificate = { readonly key: string; readonly cert: string }

/** A root that signs the certificates of a test; `issue` takes a host name or IPv4 address, and the end of the validity. */
export type Authority = { readonly cert: string; issue(host: string, until: Date): Certificate }

/** Creates an authority for a test, so that the repository contains no private key. */
export function createAuthority(): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const root = { subject: 'test root', issuer: 'test root', publicKey: keys.publicKey, signer: keys.privateKey }
  const farAway = new Date(Date.now() + DAY_MS)
  return {
    cert: certificate({ ...root, until: farAway, extensions: [BASIC_CONSTRAINTS_CA] }),
    issue: (host, until) => {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      return {
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        cert: certificate({
          ...root,
          subject: host,
          publicKey: own.publicKey,
          until,
          extensions: [alternativeName(host)],
        }),
      }
    },
  }
}

type Contents = {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly until: Date
  readonly extensions: readonly Buffer[]
}

const DAY_MS = 86_400_000

// The numbers are tags and object identifiers of X.509 in DER: RFC 5280.
const ECDSA_WITH_SHA256 = der(0x30, objectId('2a8648ce3d040302'))
const BASIC_CONSTRAINTS_CA = extension('551d13', der(0x30, der(0x01, Buffer.from([0xff]))))

function certificate({ subject, issuer, publicKey, signer, until, extensions }: Contents): string {
  const signed = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name(issuer),
    der(0x30, time(new Date(until.getTime() - 2 * DAY_MS)), time(until)),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, ...extensions)),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, signer))
  const base64 = der(0x30, signed, ECDSA_WITH_SHA256, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function name(commonName: string): Buffer {
  return der(0x30, der(0x31, der(0x30, objectId('550403'), der(0x0c, Buffer.from(commonName)))))
}

function time(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))
}

function extension(id: string, value: Buffer): Buffer {
  return der(0x30, objectId(id), der(0x04, value))
}

function alternativeName(host: string): Buffer {
  const parts = host.split('.').map(Number)
  const isAddress = parts.every((part) => Number.isInteger(part))
  const entry = isAddress ? der(0x87, Buffer.from(parts)) : der(0x82, Buffer.from(host))
  return extension('551d11', der(0x30, entry))
}
