import { z } from 'zod'
import type { SandboxOptions } from './start.ts'

const DEFAULT_PORT = 4010

const SITES = z
  .array(
    z.object({
      id: z.string().min(1),
      appId: z.string().min(1),
      secretKey: z.string().min(1),
      currencies: z.array(z.string().regex(/^[A-Z]{3,4}$/)).min(1),
    }),
  )
  .min(1)

/** Reads the sandbox's options from its environment, or returns all problems with it; a problem never repeats a value. */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): { options: SandboxOptions } | { faults: string[] } {
  const faults: string[] = []
  const options: SandboxOptions = { port: readPort(env['SANDBOX_PORT'], faults) }
  const sites = readSites(env['UPSTREAM_SITES'], faults)
  const secret = env['WEBHOOK_SECRETS']?.split(',')[0]?.trim()
  const statePath = readStatePath(env['SANDBOX_DATABASE_URL'], faults)
  if (statePath !== undefined) options.statePath = statePath
  if (env['HOST']) options.host = env['HOST']
  if (sites !== undefined) options.sites = sites
  if (secret) options.webhookSecret = secret
  return faults.length === 0 ? { options } : { faults }
}

/** Without the setting, or with `none`, the state is only in memory. */
function readStatePath(text: string | undefined, faults: string[]): string | undefined {
  if (!text || text === 'none') return undefined
  const path = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(text)?.[1]
  if (path === undefined) faults.push('SANDBOX_DATABASE_URL is not file: and the path of a file, nor none.')
  return path
}

function readPort(text: string | undefined, faults: string[]): number {
  if (!text) return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  faults.push('SANDBOX_PORT is not a port number.')
  return DEFAULT_PORT
}

function readSites(text: string | undefined, faults: string[]): SandboxOptions['sites'] {
  if (!text) return undefined
  try {
    const parsed = SITES.safeParse(JSON.parse(text))
    if (parsed.success) return parsed.data
  } catch {
    // Text that is not JSON is reported like JSON of the wrong shape.
  }
  faults.push('UPSTREAM_SITES is not a JSON list of {"id", "appId", "secretKey", "currencies"}.')
  return undefined
}
