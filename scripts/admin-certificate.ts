import { openDataDirectory } from '~/db/embedded-directory.server'
import { Refusal } from '~/db/refusal'
import { makeCertificate } from '~/server/certificate/local-certificate.server'
import { ownName } from '~/server/certificate/private-address'
import { env } from '~/server/env'
import type { AdminTask } from './admin-task'
import { say } from './admin-context'

export const certificateTasks: Record<string, AdminTask> = {
  'make-certificate': {
    summary: 'make a certificate for https in the local network, and the authority to trust',
    flags: { name: { type: 'string', help: 'the name before .local (default: of this machine)' } },
    async run(_db, values) {
      const { tls, dataDir, host } = env()
      if (tls) throw new Refusal('SANAD_TLS_CERT is set: Sanad uses that certificate and no other.')
      const name = String(values['name'] ?? ownName()).toLowerCase()
      if (!/^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/.test(name))
        throw new Refusal(
          `"${name}" is not a host name: use letters, digits and hyphens, without a dot.`,
        )
      const { names, authority } = makeCertificate(openDataDirectory(dataDir).path, name)
      const open = host === '127.0.0.1' ? ', with HOST=0.0.0.0 to open it to the network' : ''
      say(`The certificate is for ${names.join(', ')}.
Sanad uses it from its next start on${open}, and renews it by itself.
On each device, open https://${name}.local:${env().port}/trust once and follow the steps.
Fingerprint of the authority (SHA-256), to compare there:
  ${authority.fingerprint256}`)
    },
  },
}
