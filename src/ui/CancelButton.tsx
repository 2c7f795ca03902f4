import { Button } from '@mantine/core'
import { useSay } from '~/shared/say'

/** The way out of a form, beside its button. */
export function CancelButton({ onClick }: { onClick: () => void }) {
  const say = useSay()
  return (
    <Button variant="default" onClick={onClick}>
      {say('common.cancel')}
    </Button>
  )
}
