// Packages that only some services use: a peer dependency each, which only whoever needs it installs and loads.

/** Its message says in one sentence who needs the package, and how it is installed. */
export class MissingPackage extends Error {
  constructor(name: string, need: string, cause: unknown) {
    super(`${need}, and the package ${name} is missing: npm install ${name}.`, { cause })
  }
}

/**
 * What `load` imports: the package, or a file that imports it. Rejects with MissingPackage where it is not installed. `need`
 * begins a sentence, such as `DATABASE_URL names PostgreSQL`. (contract 0.1.1)
 */
export async function loadOptional<T>(name: string, need: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw isMissing(error, name) ? new MissingPackage(name, need, error) : error
  }
}

/** Throws the same where it is not installed, and loads nothing. */
export function requireOptional(name: string, need: string): void {
  try {
    import.meta.resolve(name)
  } catch (error) {
    throw isMissing(error, name) ? new MissingPackage(name, need, error) : error
  }
}

/** Not one of the packages that it needs itself. */
const isMissing = (error: unknown, name: string): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' &&
  (error as Error).message.startsWith(`Cannot find package '${name}'`)
