import { isLoopback } from '../config/urls.ts'
import type { AppConfig } from './app-config.ts'

/**
 * The origin of the sandbox that emulates the payments API; null where a real one answers. A sandbox account of the real one
 * is somebody's account: the demo shop, which creates links for anybody, and the emulator's pages have no place there.
 */
export function emulatorOrigin({ upstream, production }: AppConfig): string | null {
  const { origin, hostname } = new URL(upstream.url)
  return upstream.environment === 'sandbox' && !production && isLoopback(hostname) ? origin : null
}
