// What a new project says to the package manager that will install it, so that nothing runs on its machine: `better-sqlite3`
// brings its binaries, but npm and Yarn 1 would have it compiled, and ask for a compiler.

export interface PackageManager {
  /** The command. */
  readonly name: 'npm' | 'pnpm' | 'yarn'
  readonly file: string
  readonly settings: string
}

const reason = '# No package runs anything when it is installed: none that Duet needs has to.\n'
const npm: PackageManager = { name: 'npm', file: '.npmrc', settings: `${reason}ignore-scripts=true\n` }

/** That which runs this command, by what it says in `npm_config_user_agent`; npm where nobody says anything. */
export function packageManager(userAgent = ''): PackageManager {
  if (userAgent.startsWith('pnpm/')) return { ...npm, name: 'pnpm' }
  if (userAgent.startsWith('yarn/1.')) {
    return { name: 'yarn', file: '.yarnrc', settings: `${reason}ignore-scripts true\n` }
  }
  if (userAgent.startsWith('yarn/')) {
    return { name: 'yarn', file: '.yarnrc.yml', settings: `${reason}enableScripts: false\nnodeLinker: node-modules\n` }
  }
  return npm
}
