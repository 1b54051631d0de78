// The passkeys of a device, as a browser has them: what goes in and out is JSON of WebAuthn. (contract 5.15)

/** Both reject with a DOMException, such as NotAllowedError if the user cancels. */
export interface DevicePasskeys {
  /** Makes one, of the service's options to register. */
  create(options: object): Promise<object>
  /** Signs with one, of the service's options to sign in. */
  get(options: object, request: PasskeyRequest): Promise<object>
}
/** How the browser offers the passkeys of the device. */
export interface PasskeyRequest {
  /** `conditional`: the browser offers passkeys where it fills in forms, and resolves when the user picks one. */
  readonly mediation?: 'conditional' | undefined
  readonly signal?: AbortSignal | undefined
}

/** Parts of the browser's interface, which Node does not declare. */
interface Browser {
  readonly PublicKeyCredential?: {
    parseCreationOptionsFromJSON(options: object): object
    parseRequestOptionsFromJSON(options: object): object
  }
  readonly navigator?: {
    readonly credentials?: {
      create(request: object): Promise<Credential | null>
      get(request: object): Promise<Credential | null>
    }
  }
}
interface Credential {
  toJSON(): object
}

export const browserPasskeys: DevicePasskeys = {
  async create(options) {
    const { parse, credentials } = browser()
    return jsonOf(await credentials.create({ publicKey: parse.parseCreationOptionsFromJSON(options) }))
  },
  async get(options, { mediation, signal }) {
    const { parse, credentials } = browser()
    const publicKey = parse.parseRequestOptionsFromJSON(options)
    return jsonOf(
      await credentials.get({
        publicKey,
        ...(mediation === undefined ? {} : { mediation }),
        ...(signal === undefined ? {} : { signal }),
      }),
    )
  },
}

function browser() {
  const { PublicKeyCredential: parse, navigator } = globalThis as unknown as Browser
  const credentials = navigator?.credentials
  if (parse === undefined || credentials === undefined)
    throw new Error('There are no passkeys here: they need a browser, and a page with https.')
  return { parse, credentials }
}

function jsonOf(credential: Credential | null): object {
  if (credential === null) throw new Error('The browser has made no passkey.')
  return credential.toJSON()
}
