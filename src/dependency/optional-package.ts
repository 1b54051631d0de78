// Optional packages: peer dependencies, loaded only when needed.

/** The message names the need and the command to install it. */
export class MissingPackage extends Error {
  constructor(name: string, need: string, cause: unknown) {
    super(`${need}, and the package ${name} is missing: npm install ${name}.`, { cause })
  }
}

/**
 * Rejects with MissingPackage if it is not installed. `need` begins a sentence, such as `DATABASE_URL names PostgreSQL`. (contract
 * 0.1.1)
 */
export async function loadOptional<T>(name: string, need: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw isMissing(error, name) ? new MissingPackage(name, need, error) : error
  }
}

/** Checks without loading. */
export function requireOptional(name: string, need: string): void {
  try {
    import.meta.resolve(name)
  } catch (error) {
    throw isMissing(error, name) ? new MissingPackage(name, need, error) : error
  }
}

/** Not a dependency of the package. */
const isMissing = (error: unknown, name: string): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' &&
  (error as Error).message.startsWith(`Cannot find package '${name}'`)
