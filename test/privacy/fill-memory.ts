/** Loaded before the program: at SIGUSR2 it fills its memory with a text until the process runs out of memory. */
const { CRASH_TEXT: text = '' } = process.env

process.on('SIGUSR2', () => {
  const kept: string[][] = []
  for (let round = 0; ; round += 1) kept.push(Array.from({ length: 10_000 }, (_, index) => `${text}${round}.${index}`))
})
