import type { ConfigFault } from './faults.ts'

/** The environment of a process: names and texts. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A text understood, or what is wrong with it, as the rest of a sentence that begins with the setting's name. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

export type Parser<Value> = (text: string) => Parsed<Value>

/** The settings while they are read: gives their values and gathers every fault. */
export type Reading = {
  readonly production: boolean
  readonly faults: readonly ConfigFault[]
  /** The text of a setting; null when it is unset or empty. */
  text(setting: string): string | null
  /** The value of a setting; `otherwise` when it is unset, or when it is at fault, which is then recorded. */
  read<Value, Other>(setting: string, parse: Parser<Value>, otherwise: Other): Value | Other
  fault(setting: string, message: string): void
  /** Records a fault when the setting is unset under NODE_ENV=production. */
  requireInProduction(setting: string, hint?: string): void
}

const PRODUCTION = 'production'

/** Begins to read an environment. */
export function startReading(env: Environment): Reading {
  const faults: ConfigFault[] = []
  const production = env['NODE_ENV'] === PRODUCTION
  const text = (setting: string): string | null => env[setting] || null
  const fault = (setting: string, message: string): void => {
    faults.push({ setting, message })
  }
  return {
    production,
    faults,
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
    requireInProduction(setting, hint = '') {
      if (production && text(setting) === null) fault(setting, `is required when NODE_ENV is production${hint}`)
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
