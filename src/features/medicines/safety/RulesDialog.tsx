import { Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { RulesList } from './RulesList'
import type { ListedRules } from './rules.server'

/** The rules that are checked, read from the server on request: what is not here is not checked. */
export function RulesDialog({ onClose }: { onClose: () => void }) {
  const say = useSay()
  const [rules, setRules] = useState<ListedRules | 'failed'>()
  useEffect(() => {
    api.safety
      .rules()
      .then(setRules)
      .catch(() => setRules('failed'))
  }, [])
  return (
    <Dialog onClose={onClose} size="xl" title={say('safety.rules.title')}>
      {rules === 'failed' ? (
        <Text size="sm" role="alert">
          {say('safety.rules.failed')}
        </Text>
      ) : (
        <RulesList rules={rules} />
      )}
    </Dialog>
  )
}
