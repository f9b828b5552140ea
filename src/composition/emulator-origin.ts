import { isLoopback } from '../config/urls.ts'
import type { AppConfig } from './app-config.ts'

/**
 * Returns the origin of the sandbox that emulates the payments API; null if a real payments API is configured. Even a sandbox
 * account there belongs to somebody, so the demo shop, which creates links for everyone, and the emulator's pages are not served
 * with it.
 */
export function emulatorOrigin({ upstream, production }: AppConfig): string | null {
  const { origin, hostname } = new URL(upstream.url)
  return upstream.environment === 'sandbox' && !production && isLoopback(hostname) ? origin : null
}
