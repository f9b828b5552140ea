import type { Resolvers } from '../generated.ts'

/** The resolvers of one area: any types, and some of the fields of the root types. */
export type AreaResolvers = { readonly [Type in keyof Resolvers]?: Partial<NonNullable<Resolvers[Type]>> }
