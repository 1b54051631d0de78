// A self-signed certificate for one name, made by OpenSSL.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export async function makeCertificate(name: string): Promise<{ readonly key: string; readonly certificate: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'duet-certificate-'))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-batch']
  const about = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  try {
    await promisify(execFile)('openssl', ['req', '-x509', ...made, ...about, '-keyout', key, '-out', certificate])
    return { key: await readFile(key, 'utf8'), certificate: await readFile(certificate, 'utf8') }
  } finally {
    await rm(folder, { recursive: true })
  }
}
