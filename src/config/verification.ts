import type { DatabaseConfig } from './database.ts'
import type { SettingReader } from './read-setting.ts'

/**
 * Records whatever would disable TLS verification: the runtime's switch for it is a fault in production, PGSSLMODE, which the
 * database driver would read besides DATABASE_URL, is a fault everywhere, and `sslmode=no-verify` gives a warning.
 */
export function checkVerification(database: DatabaseConfig, reading: SettingReader): void {
  if (reading.production && reading.text('NODE_TLS_REJECT_UNAUTHORIZED') === '0')
    reading.fault(
      'NODE_TLS_REJECT_UNAUTHORIZED',
      'is 0, which turns off the verification of certificates: unset it, and name an authority of your own in NODE_EXTRA_CA_CERTS',
    )
  if (database.kind === 'postgres') checkDatabase(new URL(database.url.reveal()), reading)
}

function checkDatabase({ searchParams }: URL, reading: SettingReader): void {
  const mode = searchParams.get('sslmode')
  const ofDriver = reading.text('PGSSLMODE')
  if (mode === null && ofDriver !== null && ofDriver !== 'disable')
    reading.fault('PGSSLMODE', 'is not read: write sslmode into DATABASE_URL')
  if (mode === 'no-verify')
    reading.warn('DATABASE_URL', 'DATABASE_URL says sslmode=no-verify: the database server is not verified.')
}
