import type { MessageKey } from '~/shared/language'

/** How each operating system learns to trust the certificate. */
export const systems: { name: MessageKey; steps: MessageKey[] }[] = [
  {
    name: 'trust.windows',
    steps: ['trust.windows1', 'trust.windows2', 'trust.windows3', 'trust.windows4'],
  },
  { name: 'trust.android', steps: ['trust.android1', 'trust.android2', 'trust.android3'] },
  { name: 'trust.ios', steps: ['trust.ios1', 'trust.ios2', 'trust.ios3'] },
]
