import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useSay } from '~/shared/say'
import { EmergencyDialog } from './EmergencyDialog'

type Props = { patientId: string; name: string }

/** Starts emergency access to a patient outside the user's clinics, then opens the record. */
export function EmergencyButton({ patientId, name }: Props) {
  const say = useSay()
  const router = useRouter()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button size="xs" variant="default" w="fit-content" onClick={() => setAsking(true)}>
        {say('sharing.emergency')}
      </Button>
      {isAsking && (
        <EmergencyDialog
          patientId={patientId}
          name={name}
          onOpened={() =>
            void router.navigate({ to: '/app/patients/$patientId', params: { patientId } })
          }
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
