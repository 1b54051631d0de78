// The package as npm would publish it, made of a copy, so that two runs in one tree do not share `dist`.

import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { repository } from './command.ts'
import { runProcess } from './run-process.ts'

/** Packs into this folder, which must not exist; answers the path of the archive. */
export async function packPackage(folder: string): Promise<string> {
  const committed = execFileSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' }).split('\0')
  const files = committed.filter((path) => path !== '' && !/^(?:test|bench|reference)\//.test(path))
  await Promise.all(files.map((path) => cp(join(repository, path), join(folder, path))))
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const { printed, code } = await runProcess('npm', ['pack', '--silent'], folder)
  if (code !== 0) throw new Error(printed)
  return join(folder, printed.trim().split('\n').at(-1)!)
}

/** What `npm install` of an archive does, and of packages that this repository has: without a download. */
export async function installArchive(archive: string, names: readonly string[], project: string): Promise<void> {
  const modules = join(project, 'node_modules')
  const target = join(modules, 'duet-api')
  await mkdir(target, { recursive: true })
  const { printed, code } = await runProcess('tar', ['-xzf', archive, '--strip-components=1'], target)
  if (code !== 0) throw new Error(printed)
  const { dependencies, bin } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8'))
  await mkdir(join(modules, '.bin'), { recursive: true })
  for (const [command, file] of Object.entries<string>(bin)) {
    await chmod(join(target, file), 0o755)
    await symlink(join(target, file), join(modules, '.bin', command))
  }
  for (const name of [...Object.keys(dependencies), ...names]) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(repository, 'node_modules', name), join(modules, name))
  }
  await symlink(join(repository, 'node_modules/.bin/tsc'), join(modules, '.bin/tsc'))
}
