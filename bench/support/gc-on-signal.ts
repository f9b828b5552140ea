/** Loaded before a server whose memory is measured (`node --expose-gc --import`): collects garbage on SIGWINCH, which nothing else uses. */
const TIMES = 2

process.on('SIGWINCH', () => {
  // The flavour `last-resort` returns pages to the operating system.
  for (let time = 0; time < TIMES; time += 1)
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
})
