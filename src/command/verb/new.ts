// `duet new`: writes a small project that starts and passes its tests.

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { ownRoot } from '../../dependency/own-package.ts'
import { readOwnPackage, specifierFor } from '../new/own-package.ts'
import { packageManager } from '../new/package-manager.ts'
import { type Command, CommandError, readArguments } from '../service/command.ts'

/** Writes only into the folder, which must be new or empty. */
export const newCommand: Command = async (args, { folder, variables, write }) => {
  const { values, positionals } = readArguments(args, ['tenants'], ['The folder'])
  const [folderName] = positionals
  const target = resolve(folder, folderName)
  await requireEmpty(target, folderName)
  const name = packageName(basename(target))
  await copyFolder(new URL('template/', ownRoot), target)
  // Overwrites files of the same name.
  if (values.tenants === true) await copyFolder(new URL(`template/${tenants}/`, ownRoot), target)
  const readme = await readFile(join(target, 'README.md'), 'utf8')
  await writeFile(join(target, 'README.md'), readme.replace('{name}', name))
  await writeFile(join(target, 'package.json'), `${JSON.stringify(await manifest(name, target), null, 2)}\n`)
  const manager = packageManager(variables['npm_config_user_agent'])
  // npm omits files of these names from packages.
  await writeFile(join(target, '.gitignore'), 'node_modules/\ndata/\n')
  await writeFile(join(target, manager.file), manager.settings)
  write(
    `Your service is in ${folderName}. Next:\n\n  cd ${folderName}\n  ${manager.name} install\n  ${manager.name} test\n  ${manager.name} run dev\n`,
  )
  return 0
}

const tenants = 'tenants'

async function requireEmpty(target: string, folderName: string): Promise<void> {
  try {
    await mkdir(target, { recursive: true })
  } catch (cause) {
    // A file of that name, or no permission.
    throw new CommandError(`The folder ${folderName} cannot be made: ${(cause as Error).message}.`, { cause })
  }
  if ((await readdir(target)).length > 0) throw new CommandError(`The folder ${folderName} is not empty.`)
}

/** Not `cp`: Yarn reads packages from archives, where the `cp` of Node 26 does not find them. */
async function copyFolder(from: URL, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name === tenants) continue
    const target = join(to, entry.name)
    if (entry.isDirectory()) await copyFolder(new URL(`${entry.name}/`, from), target)
    else await writeFile(target, await readFile(new URL(entry.name, from)))
  }
}

function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
  return name === '' ? 'service' : name
}

async function manifest(name: string, folder: string): Promise<object> {
  const own = await readOwnPackage()
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: own.engines,
    scripts: {
      start: 'node --max-semi-space-size=8 main.ts',
      dev: 'duet dev',
      test: 'tsc && node --test "*.test.ts"',
    },
    dependencies: {
      // Optional packages for passwords and SQLite.
      ...rangesOf(own.peerDependencies, ['@node-rs/argon2', 'better-sqlite3']),
      [own.name]: await specifierFor(folder, own),
    },
    devDependencies: rangesOf(own.devDependencies, [...pagePackages, '@types/node', 'typescript']),
    // A dependency of Swagger UI that reports installations.
    allowScripts: { '@scarf/scarf': false },
    scarfSettings: { enabled: false },
  }
}
/** For the developer pages. GraphiQL's peers are listed, as some package managers do not install them. */
const pagePackages = ['@dagrejs/dagre', 'graphiql', 'graphql-ws', 'react', 'react-dom', 'swagger-ui-dist']

const rangesOf = (versions: Readonly<Record<string, string>>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, versions[name]!.replace(/^(?=\d)/, '^')]))
