/**
 * Loaded before the program: at SIGUSR2 it throws or rejects without a handler. CRASH_KIND selects how; CRASH_TEXT is placed everywhere an
 * error can carry a text.
 */
const { CRASH_KIND: kind = '', CRASH_TEXT: text = '' } = process.env

process.on('SIGUSR2', () => {
  const error = Object.assign(new Error(text, { cause: new Error(text) }), { body: text, name: text })
  if (kind === 'exception') throw error
  void Promise.reject(kind === 'rejection' ? error : kind === 'rejected object' ? { text } : text)
})
