// Asks the service of this container whether it is up; ends with 0 if it is. The image has no curl.

const { PORT = '3000' } = process.env
try {
  const { status } = await fetch(`http://127.0.0.1:${PORT}/health`, { signal: AbortSignal.timeout(4_000) })
  process.exitCode = status === 200 ? 0 : 1
} catch (error) {
  console.error(String(error))
  process.exitCode = 1
}
