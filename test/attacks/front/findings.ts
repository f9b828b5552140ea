import type { Attack } from './attack.ts'

export type Finding = { readonly rule: string; readonly detail: string; readonly attack: Attack | null }

export type Findings = {
  readonly list: readonly Finding[]
  /**
   * Adds a finding, unless the same rule was broken in the same way before (digits do not count; for `SLOW`, by the same class of attack).
   */
  add(rule: string, detail: string, attack?: Attack): void
  /** Returns whether a class of attacks was found to block the server, so that it need not run again. */
  isSlow(name: string): boolean
}

const SHOWN = 1_500

/** The rule about the time of the event loop. */
export const SLOW = 'no request may hold up the event loop'

/** Creates a collection of the distinct findings of a run. */
export function createFindings(): Findings {
  const found = new Map<string, Finding>()
  return {
    get list() {
      return [...found.values()]
    },
    add(rule, detail, attack) {
      const key = [rule, rule === SLOW ? attack?.name : '', detail.replace(/\d+/g, '0')].join(' ')
      if (!found.has(key)) found.set(key, { rule, detail, attack: attack ?? null })
    },
    isSlow: (name) => [...found.values()].some(({ rule, attack }) => rule === SLOW && attack?.name === name),
  }
}

/** Returns a finding as text for a person who has to reproduce it. */
export function describeFinding({ rule, detail, attack }: Finding): string {
  if (attack === null) return `${rule}: ${detail}`
  const { told } = attack
  const rest = told.length > SHOWN ? ` … and ${told.length - SHOWN} characters more` : ''
  return `${rule}: ${detail}\n  ${attack.name}: ${JSON.stringify(told.slice(0, SHOWN))}${rest}`
}
