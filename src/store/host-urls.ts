// A DATABASE_URL may name several hosts, which neither `URL` nor the driver takes.

/** One URL per host, in order. */
export function hostUrls(databaseUrl: string): readonly string[] {
  const [, start, hosts = '', rest] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(databaseUrl) ?? []
  return hosts.includes(',') ? hosts.split(',').map((host) => `${start}${host}${rest}`) : [databaseUrl]
}
