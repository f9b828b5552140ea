import type { SigningKeyResolvers } from '../generated.ts'

export const SigningKey: SigningKeyResolvers = {
  removable: ({ state, dependents }) => state === 'VERIFIES' && !dependents.some(({ needed }) => needed),
}
