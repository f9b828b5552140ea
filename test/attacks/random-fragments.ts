import type { Random } from '../faults/random.ts'

/** Fragments on one type that spread each other, and a selection that spreads the first one. */
export type Fragments = { readonly selection: string; readonly definitions: readonly string[] }

/** How the fragments spread each other; all shapes except `circle` end in the leaf. */
export const FRAGMENT_SHAPES = [
  'chain',
  'doubled',
  'tripled',
  'web',
  'random',
  'inline',
  'conditional',
  'circle',
] as const
export type FragmentShape = (typeof FRAGMENT_SHAPES)[number]

type Links = (index: number, count: number, random: Random) => string[]

const next = (index: number) => `...F${index + 1}`
const upTo = (random: Random, most: number) => Math.floor(random() * most)

/** Returns what the fragment of an index spreads; the last one, of index `count`, is the leaf. */
const LINKS: Readonly<Record<FragmentShape, Links>> = {
  chain: (index) => [next(index)],
  doubled: (index) => [next(index), next(index)],
  tripled: (index) => [next(index), next(index), next(index)],
  web: (index, count) => Array.from({ length: count - index }, (_, other) => `...F${index + 1 + other}`),
  random: (index, count, random) => [
    next(index),
    ...Array.from({ length: upTo(random, 4) }, () => `...F${index + 1 + upTo(random, count - index)}`),
  ],
  inline: (index) => [`... { ${next(index)} }`, `... { ${next(index)} }`],
  conditional: (index) => [`${next(index)} @include(if: true)`, next(index)],
  circle: (_index, count, random) =>
    Array.from({ length: 1 + upTo(random, 3) }, () => `...F${upTo(random, count + 1)}`),
}

/** Most fragments of each shape: about as many as fit into the token limit of an operation. */
const MOST: Readonly<Partial<Record<FragmentShape, number>>> = { web: 24, circle: 20, random: 50, inline: 40 }
const MOST_OF_OTHERS = 90

/** Writes a leaf selection behind many fragments on a type. `prefix` keeps names distinct from those of other graphs. */
export function fragmentsAround(
  random: Random,
  { type, leaf, shape, prefix }: { type: string; leaf: string; shape: FragmentShape; prefix: string },
): Fragments {
  const count = 1 + upTo(random, MOST[shape] ?? MOST_OF_OTHERS)
  const named = (text: string) => text.replaceAll('...F', `...${prefix}`)
  const inner = Array.from({ length: count }, (_, index) => {
    const links = named(LINKS[shape](index, count, random).join(' '))
    return `fragment ${prefix}${index} on ${type} { ${links} }`
  })
  return { selection: `{ ...${prefix}0 }`, definitions: [...inner, `fragment ${prefix}${count} on ${type} ${leaf}`] }
}
