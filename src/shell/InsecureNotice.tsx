import { Alert, Anchor } from '@mantine/core'
import { IconLockOpen } from '@tabler/icons-react'
import { useSay } from '~/shared/say'

/** For administrators while SANAD_INSECURE_HTTP is set. It cannot be dismissed. */
export function InsecureNotice() {
  const say = useSay()
  return (
    <Alert color="red" variant="light" icon={<IconLockOpen aria-hidden />} mb="md">
      {say('shell.insecure')}{' '}
      <Anchor href="/trust" inherit>
        {say('shell.insecureSteps')}
      </Anchor>
    </Alert>
  )
}
