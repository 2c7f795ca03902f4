import { Alert, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'

type Props = { phonesUntil: Date | string | null }

/** Says on a user's page that the password is not the user's own yet, and until when phones may use it. */
export function PasswordToReplace({ phonesUntil }: Props) {
  const say = useSay()
  return (
    <Alert color="yellow">
      <Text size="sm" fw={600}>
        {say('users.passwordToReplace')}
      </Text>
      {say('users.passwordToReplaceText')}
      {phonesUntil && (
        <>
          {' '}
          {say('users.phonesUntil')} <Moment at={phonesUntil} dayOnly />
        </>
      )}
    </Alert>
  )
}
