import { readFileSync } from 'node:fs'
import { Secret } from '../keys/key-ring.ts'
import type { Secrets } from './credentials.ts'
import {
  isSetting,
  MAKE_A_KEY,
  SETTINGS,
  settingsIn,
  type Setting,
  type SettingTable,
  type ValuesOf,
} from './settings.ts'

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A fault of one setting. The message never contains the value, which may be a misplaced secret. */
export type ConfigFault = { readonly setting: string; readonly message: string }

/** Returns the faults for the operator, one line each, in the order of the settings. */
export function describeFaults(faults: readonly ConfigFault[]): string {
  return faults.map(({ setting, message }) => `${setting} ${message}`).join('\n')
}

/** How to get the keys that are generated for the built-in sandbox alone. */
const HOW_TO_GET = {
  WEBHOOK_SECRETS: 'the secret with which the payments API signs the webhooks of this merchant',
  SIGNING_KEYS: MAKE_A_KEY,
  JWT_SECRETS: `${MAKE_A_KEY} and share it with the issuer of client tokens, or set JWT_JWKS_URL in its place`,
}

/** A setting for which a key can be generated with the built-in sandbox. */
type GeneratedSetting = keyof typeof HOW_TO_GET

/** Returns a development key of at least 32 bytes for an unset setting. */
export type GenerateKey = (setting: GeneratedSetting) => string

const PRODUCTION = 'production'

/** Reads the settings of an environment and collects every fault. */
export class Reading {
  readonly faults: ConfigFault[] = []
  /** Protections that production was told to switch off. */
  readonly warnings: ConfigFault[] = []
  /** Settings that were unset, and for which a key was generated. */
  readonly generated: GeneratedSetting[] = []
  /** Whether NODE_ENV or UPSTREAM_ENVIRONMENT says production: with real money, nothing is generated for development. */
  readonly production: boolean
  /** Whether the payments API is the built-in sandbox: only for it are keys and tokens generated. */
  readonly builtInSandbox: boolean
  readonly #env: Record<string, string | undefined>
  readonly #generate: GenerateKey
  /** Settings that are set to what cannot be read: nothing further is wrong with them. */
  readonly #unread = new Set<string>()

  constructor(env: Environment, generate: GenerateKey) {
    this.#env = { ...env }
    this.#generate = generate
    for (const setting of settingsIn(SETTINGS)) {
      this.#renameAlias(setting)
      this.#readText(setting)
    }
    this.production = env['NODE_ENV'] === PRODUCTION || env['UPSTREAM_ENVIRONMENT'] === PRODUCTION
    this.builtInSandbox = !this.production && this.text('UPSTREAM_URL') === null
  }

  /** Returns the text of a setting; null if it is unset or empty. */
  text(name: string): string | null {
    return this.#env[name] || null
  }

  fault(setting: string, message: string): void {
    if (!this.#unread.has(setting)) this.faults.push({ setting, message })
  }

  /** Takes what is set under the other name of a setting, and under that of its file. */
  #renameAlias({ name, alias }: Setting): void {
    if (alias === undefined) return
    for (const [other, own] of [
      [alias, name],
      [fileSetting(alias), fileSetting(name)],
    ] as const) {
      if (this.text(other) === null) continue
      if (this.text(own) === null) this.#env[own] = this.#env[other]
      else this.fault(other, `and ${own} exclude each other: set one of them`)
    }
  }

  /** Takes the text of a secret from its file, if there is one, and refuses a text in quotation marks. */
  #readText({ name, secret }: Setting): void {
    const file = secret && this.text(fileSetting(name))
    const problem = file ? this.#readSecret(name, file) : null
    const text = this.text(name)
    const quoted = text !== null && QUOTED.test(text)
    if (problem === null && !quoted) return
    this.fault(
      file ? fileSetting(name) : name,
      problem ?? 'is in quotation marks, which are not removed: leave them out',
    )
    this.#unread.add(name)
    this.#env[name] = undefined
  }

  /**
   * Returns what is wrong with the file; null if it was read. White space around its text, such as the line break at its end, and a byte order
   * mark are no part of the secret.
   */
  #readSecret(name: string, file: string): string | null {
    if (this.text(name) !== null) return `and ${name} exclude each other: set one of them`
    try {
      this.#env[name] = UTF_8.decode(readFileSync(file)).trim()
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      return code === NOT_UTF_8
        ? 'names a file that is not UTF-8: save it as such'
        : `names a file that cannot be read (${code})`
    }
    return this.text(name) === null ? 'names an empty file' : null
  }

  /** Records that a protection was switched off in production; outside production this gives no warning. */
  warn(setting: string, message: string): void {
    if (this.production) this.warnings.push({ setting, message })
  }

  /** Returns the values of a table: the default of what is unset or faulty. */
  valuesOf<Table extends SettingTable>(table: Table): ValuesOf<Table> {
    const values = Object.entries(table).map(([key, entry]) => [
      key,
      isSetting(entry) ? this.#valueOf(entry) : this.valuesOf(entry),
    ])
    return Object.fromEntries(values) as ValuesOf<Table>
  }

  #valueOf({ name: upper, parse, default: otherwise = '', required, eitherCase }: Setting): unknown {
    const lower = upper.toLowerCase()
    const name = eitherCase && this.text(lower) !== null ? lower : upper
    if (required !== undefined && this.production && this.text(name) === null)
      this.fault(name, `is required in production: ${required}`)
    for (const text of [this.text(name) ?? '', otherwise].filter((one) => one !== '')) {
      const parsed = parse(text)
      if (parsed.ok) return parsed.value
      this.fault(name, parsed.message)
    }
    return null
  }

  /** Returns the keys of a setting. If it is unset, one is generated for the built-in sandbox, and required for any other API. */
  keysOf(setting: GeneratedSetting, keys: Secrets | null): Secrets {
    if (keys !== null) return keys
    if (this.text(setting) !== null) return [new Secret('')]
    if (this.builtInSandbox) {
      this.generated.push(setting)
      return [new Secret(this.#generate(setting))]
    }
    const withUrl = 'with UPSTREAM_URL, since only the built-in sandbox generates keys'
    const where = this.production ? 'in production' : withUrl
    this.fault(setting, `is required ${where}: ${HOW_TO_GET[setting]}`)
    return [new Secret('')]
  }
}

/** What Docker passes on of a quoted value in an env file. Typographic ones come from documents, and are in no secret. */
const QUOTED = /^(["'])[^]*\1$|^[“”‘’]|[“”‘’]$/

const UTF_8 = new TextDecoder('utf-8', { fatal: true })
const NOT_UTF_8 = 'ERR_ENCODING_INVALID_ENCODED_DATA'

function fileSetting(name: string): string {
  return `${name}_FILE`
}

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = settingsIn(SETTINGS).map(({ name }) => name)

const KNOWN: ReadonlySet<string> = new Set(
  settingsIn(SETTINGS).flatMap(({ name, alias, secret }) =>
    [name, alias ?? name].flatMap((one) => (secret ? [one, fileSetting(one)] : [one])),
  ),
)

/** Beginnings of names that other programs set too. */
const SHARED: ReadonlySet<string> = new Set(['NODE', 'HTTP', 'HTTPS', 'NO', 'OTEL', 'LOG'])
const PREFIXES: ReadonlySet<string> = new Set(
  SETTING_NAMES.filter((name) => name.includes('_'))
    .map(prefixOf)
    .filter((prefix) => !SHARED.has(prefix)),
)

function prefixOf(name: string): string {
  return name.replace(/_.*/s, '')
}

/** Kubernetes and Docker set these for every neighbouring service, which may be named `router` or `sandbox`. */
const SET_BY_ORCHESTRATOR =
  /_SERVICE_PORT_|_(?:SERVICE_HOST|SERVICE_PORT|PORT(?:_\d{1,5}_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/

/** Letters by which a misspelt name with one of our prefixes differs, and any other, which may be of another program. */
const NEAR = 4
const VERY_NEAR = 2

/** Returns names that look like our settings but are unknown: most likely misspelt, and so without effect. */
export function unknownSettings(env: Environment): ConfigFault[] {
  return Object.keys(env)
    .filter((name) => env[name] && !KNOWN.has(name) && !SET_BY_ORCHESTRATOR.test(name))
    .sort()
    .flatMap((setting) => {
      const base = setting.replace(/_FILE$/, '')
      if (SETTING_NAMES.includes(base)) return [{ setting, message: `is not read: set ${base}` }]
      const isOurs = setting.includes('_') && PREFIXES.has(prefixOf(setting))
      const meant = nearestTo(setting, isOurs ? NEAR : VERY_NEAR)
      if (!isOurs && (meant === null || SHARED.has(prefixOf(meant)) !== SHARED.has(prefixOf(setting)))) return []
      return [{ setting, message: `is not a setting${meant === null ? '' : `; is ${meant} meant?`}` }]
    })
}

function nearestTo(name: string, most: number): string | null {
  const [nearest] = SETTING_NAMES.filter(
    (setting) => setting.includes('_') && Math.abs(setting.length - name.length) <= most,
  )
    .map((setting) => ({ setting, distance: distanceBetween(name, setting) }))
    .sort((one, other) => one.distance - other.distance)
  return nearest !== undefined && nearest.distance <= most ? nearest.setting : null
}

/** Returns the Levenshtein distance: the number of letters to add, remove or change. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of one.split('').entries()) {
    const next = [index + 1]
    for (const [place, target] of other.split('').entries()) {
      const changed = (row[place] ?? 0) + (letter === target ? 0 : 1)
      next.push(Math.min(changed, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
