import type { Attack } from './attack.ts'
import type { FuzzedServer } from './fuzzed-server.ts'
import type { Outcome } from './perform.ts'

/** Payer data that clients send: answers to them may contain it, the log must not. */
const SAID_BY_CLIENTS = ['ada@example.test', 'Ada Payer', 'grace@example.test']
const BAD_LINE = /^.*"level":"(?:error|fatal)".*$/m
const STACK = /^\s+at .*$/m

/** Returns the secrets, keys, tokens and payer data in the outcome of an attack. */
export function judgeSecrets({ canaries, tokens }: FuzzedServer, attack: Attack, outcome: Outcome): string[] {
  const mayKnowPayers = attack.told.includes(tokens.all)
  return canaries
    .foundIn(textOf(outcome))
    .filter((place) => !(mayKnowPayers && place.startsWith('payer.')))
    .map((place) => `an answer tells ${place}`)
}

/** Returns the same for the server's whole output, and its error lines and stacks. */
export function judgeLog({ canaries, output }: FuzzedServer): string[] {
  const log = output()
  const found = canaries.foundIn(log).map((place) => `the log tells ${place}`)
  for (const text of SAID_BY_CLIENTS) if (log.includes(text)) found.push(`the log tells ${text}`)
  for (const pattern of [BAD_LINE, STACK]) found.push(...(pattern.exec(log) ?? []))
  return found
}

function textOf(outcome: Outcome): string {
  if (outcome.kind === 'socket') return outcome.frames.map(({ text }) => text).join('\n')
  return outcome.answers
    .map(({ headers, body }) => `${[...headers.values()].flat().join('\n')}\n${body.toString()}`)
    .join('\n')
}
