/**
 * Loaded before the program: at SIGUSR2 something goes wrong that nobody catches. The environment names what, and the text
 * that it carries everywhere an error can carry one.
 */
const { CRASH_KIND: kind = '', CRASH_TEXT: text = '' } = process.env

process.on('SIGUSR2', () => {
  const error = Object.assign(new Error(text, { cause: new Error(text) }), { body: text, name: text })
  if (kind === 'exception') throw error
  void Promise.reject(kind === 'rejection' ? error : kind === 'rejected object' ? { text } : text)
})
