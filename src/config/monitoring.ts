import type { Secret } from '../keys/key-ring.ts'
import { secretOf } from './credentials.ts'
import { good, type Parsed, type SettingReader, parseHost, parsePort } from './read-setting.ts'

/** Who may read the metrics on the public port: everybody, holders of the token, or nobody. */
export type MetricsAccess =
  | { readonly kind: 'everybody' }
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'nobody' }

export type MonitoringConfig = {
  /** Address of the separate server for metrics and probes; null for none. */
  readonly admin: { readonly host: string; readonly port: number } | null
  readonly metrics: MetricsAccess
}

const OFF = 'off'
const DEFAULT_PORT = 9464

/**
 * Reads where metrics and probes are served. Outside production metrics are open, and there is an admin port only if one is set.
 */
export function readMonitoring(reading: SettingReader): MonitoringConfig {
  const host = reading.read('ADMIN_HOST', parseHost, '127.0.0.1')
  const port = reading.read('ADMIN_PORT', parseAdminPort, reading.production ? DEFAULT_PORT : null)
  const token = reading.read('METRICS_TOKEN', secretOf({ minimum: 16, unit: 'characters', header: true }), null)
  return { admin: port === null ? null : { host, port }, metrics: accessFor(token, reading.production) }
}

function accessFor(token: Secret | null, production: boolean): MetricsAccess {
  if (token !== null) return { kind: 'token', token }
  return { kind: production ? 'nobody' : 'everybody' }
}

function parseAdminPort(text: string): Parsed<number | null> {
  if (text === OFF) return good(null)
  const port = parsePort(text)
  return port.ok ? port : { ok: false, message: `${port.message}, or ${OFF}` }
}
