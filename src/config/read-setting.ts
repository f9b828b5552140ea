import type { ConfigFault } from './config-faults.ts'

/** The environment of a process: names and texts. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A text understood, or what is wrong with it, as the rest of a sentence that begins with the setting's name. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

export type Parser<Value> = (text: string) => Parsed<Value>

/** The settings while they are read: gives their values and gathers every fault. */
export type SettingReader = {
  /** NODE_ENV says so, or UPSTREAM_ENVIRONMENT: where real money moves, nothing is made for development. */
  readonly production: boolean
  /** There is no payments API but the sandbox of this process: the one place for which keys and tokens are generated. */
  readonly builtInSandbox: boolean
  readonly faults: readonly ConfigFault[]
  /** What production was told to leave open. */
  readonly warnings: readonly ConfigFault[]
  /** The text of a setting; null when it is unset or empty. */
  text(setting: string): string | null
  /** The value of a setting; `otherwise` when it is unset, or when it is at fault, which is then recorded. */
  read<Value, Other>(setting: string, parse: Parser<Value>, otherwise: Other): Value | Other
  fault(setting: string, message: string): void
  /** Records that production was told to leave something open; outside of production it is not worth a warning. */
  warn(setting: string, message: string): void
  /** Records a fault when the setting is unset in production. `how` says what to set. */
  requireInProduction(setting: string, how: string): void
  /** Records a fault when the setting is unset anywhere but on the built-in sandbox. `how` says where to get a key. */
  requireKey(setting: string, how: string): void
}

const PRODUCTION = 'production'

/** Begins to read an environment. */
export function startReading(env: Environment): SettingReader {
  const faults: ConfigFault[] = []
  const warnings: ConfigFault[] = []
  const production = env['NODE_ENV'] === PRODUCTION || env['UPSTREAM_ENVIRONMENT'] === PRODUCTION
  const text = (setting: string): string | null => env[setting] || null
  const fault = (setting: string, message: string): void => {
    faults.push({ setting, message })
  }
  const builtInSandbox = !production && text('UPSTREAM_URL') === null
  return {
    production,
    builtInSandbox,
    faults,
    warnings,
    text,
    fault,
    read(setting, parse, otherwise) {
      const given = text(setting)
      if (given === null) return otherwise
      const parsed = parse(given)
      if (parsed.ok) return parsed.value
      fault(setting, parsed.message)
      return otherwise
    },
    warn(setting, message) {
      if (production) warnings.push({ setting, message })
    },
    requireInProduction(setting, how) {
      if (production && text(setting) === null) fault(setting, `is required in production: ${how}`)
    },
    requireKey(setting, how) {
      if (builtInSandbox || text(setting) !== null) return
      const where = production ? 'in production' : 'with UPSTREAM_URL, since only the built-in sandbox generates keys'
      fault(setting, `is required ${where}: ${how}`)
    },
  }
}

/** A text that was understood. */
export function good<Value>(value: Value): Parsed<Value> {
  return { ok: true, value }
}

/** A text that was not. `message` continues a sentence that begins with the setting's name. */
export function bad(message: string): { ok: false; message: string } {
  return { ok: false, message }
}
