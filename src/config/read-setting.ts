/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A parsed value, or a message that continues a sentence that begins with the setting's name. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

export type Parser<Value> = (text: string) => Parsed<Value>

/** Reads the settings and collects every fault. */
export type SettingReader = {
  /** Whether NODE_ENV or UPSTREAM_ENVIRONMENT says production: with real money, nothing is generated for development. */
  readonly production: boolean
  /** Whether the payments API is the built-in sandbox: only for it are keys and tokens generated. */
  readonly builtInSandbox: boolean
  readonly faults: readonly ConfigFault[]
  /** Protections that production was told to switch off. */
  readonly warnings: readonly ConfigFault[]
  /** Returns the text of a setting; null if it is unset or empty. */
  text(setting: string): string | null
  /** Returns the value of a setting; `otherwise` if it is unset or faulty. A fault is recorded. */
  read<Value, Other>(setting: string, parse: Parser<Value>, otherwise: Other): Value | Other
  fault(setting: string, message: string): void
  /** Records that a protection was switched off in production; outside production this gives no warning. */
  warn(setting: string, message: string): void
  /** Records a fault if the setting is unset in production. `how` says what to set. */
  requireInProduction(setting: string, how: string): void
  /** Records a fault if the setting is unset, except with the built-in sandbox. `how` says where to get a key. */
  requireKey(setting: string, how: string): void
}

const PRODUCTION = 'production'

/** Creates the reader of an environment. */
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

/** Returns the result for a valid text. */
export function good<Value>(value: Value): Parsed<Value> {
  return { ok: true, value }
}

/** Returns the result for an invalid text. `message` continues a sentence that begins with the setting's name. */
export function bad(message: string): { ok: false; message: string } {
  return { ok: false, message }
}

/** A fault of one setting. The message never contains the value, which may be a misplaced secret. */
export type ConfigFault = { readonly setting: string; readonly message: string }

/** Returns the faults for the operator, one line each, in the order of the settings. */
export function describeFaults(faults: readonly ConfigFault[]): string {
  return faults.map(({ setting, message }) => `${setting} ${message}`).join('\n')
}

const CONTROL = /\p{Cc}/u
const HOST = /^[\w.:%-]{1,253}$/

/** Parses one of a list of words, case-sensitive. */
export function oneOf<Word extends string>(words: readonly Word[]): Parser<Word> {
  return (text) => {
    const word = words.find((candidate) => candidate === text)
    return word === undefined ? bad(`must be one of ${words.join(', ')}`) : good(word)
  }
}

/** Parses an integer in decimal digits, from `least` to `most`. */
export function wholeNumber(least: number, most: number): Parser<number> {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Infinity
    return number >= least && number <= most ? good(number) : bad(`must be a whole number from ${least} to ${most}`)
  }
}

/** Parses a TCP port; 0 lets the system choose a free one. */
export function parsePort(text: string): Parsed<number> {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  return port <= 65_535 ? good(port) : bad('must be a whole number from 0 to 65535')
}

/** Parses a host name or an address to listen on, IPv6 without brackets. */
export function parseHost(text: string): Parsed<string> {
  return HOST.test(text) ? good(text) : bad('must be a host name or an IP address, without scheme, port or brackets')
}

/** Parses a text of one line without white space at its ends. */
export function parseLine(text: string): Parsed<string> {
  if (CONTROL.test(text)) return bad('must not contain control characters, such as a line break')
  return text.trim() === text ? good(text) : bad('must not begin or end with white space')
}
