import { Text } from '@mantine/core'
import { useQuery } from '~/client/query'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { RulesList } from './RulesList'

/** The rules that are checked, read from the server on request: what is not here is not checked. */
export function RulesDialog({ onClose }: { onClose: () => void }) {
  const say = useSay()
  const { data: rules, error } = useQuery('safety.rules', {})
  return (
    <Dialog onClose={onClose} size="xl" title={say('safety.rules.title')}>
      {error ? (
        <Text size="sm" role="alert">
          {say('safety.rules.failed')}
        </Text>
      ) : (
        <RulesList rules={rules} />
      )}
    </Dialog>
  )
}
