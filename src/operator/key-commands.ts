import type { KeysCommand } from './command-line.ts'
import { KEYS } from './documents.ts'
import type { Ask } from './graph-client.ts'
import { keysAnswer, type SigningKey, table } from './operator-answers.ts'

/** Returns the signing keys as text, with what depends on each. */
export async function listKeys(ask: Ask, { json }: KeysCommand): Promise<string> {
  const { signingKeys: keys } = (await ask(KEYS, { variables: {}, shape: keysAnswer })).data
  if (json) return JSON.stringify(keys, null, 2)
  return [keyTable(keys), ...keys.map(dependentTable)].join('\n\n')
}

function keyTable(keys: readonly SigningKey[]): string {
  return table(
    ['KEY', 'SETTING', 'STATE', 'SIGNED SINCE', 'LAST SIGNED', 'LAST CALLBACK', 'REMOVABLE'],
    keys.map((key) => [
      key.keyId,
      key.setting,
      key.state,
      key.firstSignedAt,
      key.lastSignedAt,
      key.lastCallbackAt,
      key.removable ? 'yes' : 'no',
    ]),
  )
}

function dependentTable({ keyId, setting, dependents }: SigningKey): string {
  return table(
    [`${keyId} OF ${setting}`, 'NEEDED', 'UNTIL', 'COUNT'],
    dependents.map(({ kind, needed, until, count }) => [
      kind,
      needed ? 'yes' : 'no',
      until ?? 'no end',
      count === null ? null : String(count),
    ]),
  )
}
