// The package as npm would publish it. It is packed from a copy, so that edits during a run do not change it. Packing takes as long as
// many tests, so tests share an archive until a file changes.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { repository } from './command.ts'
import { runProcess } from './run-process.ts'

const cache = join(repository, 'node_modules/.cache/archive')

/** Packs into this folder, which must not exist; answers the path of the archive. */
export async function packPackage(folder: string): Promise<string> {
  const committed = execFileSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' }).split('\0')
  const files = committed.filter((path) => path !== '' && !/^(?:test|bench|reference)\//.test(path))
  const { name, version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  const archive = join(folder, `${name}-${version}.tgz`)
  const keptOf = async (root: string) => join(cache, await fingerprintOf(files, root), basename(archive))
  await mkdir(folder)
  const isKept = await copyFile(await keptOf(repository), archive).then(
    () => true,
    () => false,
  )
  if (!isKept) {
    const copy = join(folder, 'source')
    await Promise.all(files.map((path) => cp(join(repository, path), join(copy, path))))
    const kept = await keptOf(copy)
    await copyFile(await pack(copy), archive)
    await keep(archive, kept)
  }
  return archive
}

async function pack(folder: string): Promise<string> {
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const { printed, code } = await runProcess('npm', ['pack', '--silent'], folder)
  if (code !== 0) throw new Error(printed)
  return join(folder, printed.trim().split('\n').at(-1)!)
}

/** What packs it is pinned by package-lock.json, which is one of the files. */
async function fingerprintOf(files: readonly string[], folder: string): Promise<string> {
  const hash = createHash('sha256').update(process.version)
  for (const path of files) hash.update(`\0${path}\0`).update(await readFile(join(folder, path)))
  return hash.digest('hex')
}

/** In place of those of former files: whole or not at all. Another process may have been first. */
async function keep(archive: string, place: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const former = (await readdir(cache)).filter((each) => /^[\da-f]{64}$/.test(each))
  const folder = await mkdtemp(join(cache, 'keeping-'))
  await copyFile(archive, join(folder, basename(place)))
  await rename(folder, dirname(place)).catch((error) => {
    if (!existsSync(place)) throw error
  })
  for (const each of former)
    if (join(cache, each) !== dirname(place)) await rm(join(cache, each), { recursive: true, force: true })
}

/** What `npm install` of an archive does, and of packages that this repository has: without a download. */
export async function installArchive(archive: string, names: readonly string[], project: string): Promise<void> {
  const modules = join(project, 'node_modules')
  const target = join(modules, 'duet-api')
  await unpack(archive, target)
  const { dependencies, bin } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8'))
  await mkdir(join(modules, '.bin'), { recursive: true })
  for (const [command, file] of Object.entries<string>(bin)) {
    await chmod(join(target, file), 0o755)
    await symlink(join(target, file), join(modules, '.bin', command))
  }
  await linkPackages(modules, [...Object.keys(dependencies), ...names])
  await symlink(join(repository, 'node_modules/.bin/tsc'), join(modules, '.bin/tsc'))
}

/** Links packages of this repository into a folder of modules. */
export async function linkPackages(modules: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(repository, 'node_modules', name), join(modules, name))
  }
}

/** Unpacks an archive of npm into this folder. */
export async function unpack(archive: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const { printed, code } = await runProcess('tar', ['-xzf', archive, '--strip-components=1'], folder)
  if (code !== 0) throw new Error(printed)
}
