import type { Attack } from './attack.ts'

export type Finding = { readonly rule: string; readonly detail: string; readonly attack: Attack | null }

export type Findings = {
  readonly list: readonly Finding[]
  /** Adds one, unless the same rule has been broken in the same way by an attack of the same class. */
  add(rule: string, detail: string, attack?: Attack): void
  /** Whether a class of attacks has been found to hold up the server: it need not be shown again. */
  isSlow(name: string): boolean
}

const SHOWN = 1_500

/** The rule about the time of the event loop. */
export const SLOW = 'no request may hold up the event loop'

/** Collects what a run has found, each thing once. */
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

/** A finding as somebody reads it who has to repeat it. */
export function describeFinding({ rule, detail, attack }: Finding): string {
  if (attack === null) return `${rule}: ${detail}`
  const { told } = attack
  const rest = told.length > SHOWN ? ` … and ${told.length - SHOWN} characters more` : ''
  return `${rule}: ${detail}\n  ${attack.name}: ${JSON.stringify(told.slice(0, SHOWN))}${rest}`
}
