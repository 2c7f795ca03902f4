import {
  anyOf,
  choice,
  choices,
  day,
  diagnosis,
  files,
  heading,
  longText,
  medicines,
  nextVisit,
  note,
  number,
  starter,
  text,
  when,
  yesNo,
} from './starter-parts'

export const generalConsultation = starter(
  'general-consultation',
  ['General consultation', 'معاينة عامة', 'Consulta general'],
  [
    'Complaint, findings, assessment and plan.',
    'الشكوى والموجودات والتقييم والخطة.',
    'Motivo de consulta, hallazgos, evaluación y plan.',
  ],
  [
    longText('complaint', ['Chief complaint', 'الشكوى الرئيسية', 'Motivo de consulta'], {
      required: true,
    }),
    number('since', ['Duration (days)', 'المدة (أيام)', 'Duración (días)'], {
      limits: { min: 0, max: 20_000 },
    }),
    choice(
      'severity',
      ['Severity', 'الشدة', 'Intensidad'],
      [
        ['mild', 'Mild', 'خفيفة', 'Leve'],
        ['moderate', 'Moderate', 'متوسطة', 'Moderada'],
        ['severe', 'Severe', 'شديدة', 'Intensa'],
      ],
    ),
    choices(
      'symptoms',
      ['Associated symptoms', 'أعراض مرافقة', 'Síntomas asociados'],
      [
        ['fever', 'Fever', 'حمّى', 'Fiebre'],
        ['cough', 'Cough', 'سعال', 'Tos'],
        ['breathless', 'Shortness of breath', 'ضيق تنفّس', 'Dificultad para respirar'],
        ['chest_pain', 'Chest pain', 'ألم صدري', 'Dolor torácico'],
        ['abdominal_pain', 'Abdominal pain', 'ألم بطني', 'Dolor abdominal'],
        ['vomiting', 'Vomiting', 'قيء', 'Vómitos'],
        ['diarrhoea', 'Diarrhoea', 'إسهال', 'Diarrea'],
        ['headache', 'Headache', 'صداع', 'Dolor de cabeza'],
        ['rash', 'Rash', 'طفح جلدي', 'Erupción cutánea'],
        ['weight_loss', 'Weight loss', 'نقص وزن', 'Pérdida de peso'],
      ],
    ),
    note(
      'chest_pain_note',
      [
        'Chest pain or shortness of breath: measure oxygen saturation and pulse now. Consider cardiac and pulmonary causes first.',
        'ألم صدري أو ضيق تنفّس: قياس تشبّع الأكسجين والنبض الآن، والتفكير أولًا في الأسباب القلبية والرئوية.',
        'Si hay dolor torácico o dificultad para respirar: mida ahora la saturación de oxígeno y el pulso; considere primero causas cardíacas y pulmonares.',
      ],
      { showIf: anyOf(when('symptoms', 'is', 'chest_pain'), when('symptoms', 'is', 'breathless')) },
    ),
    longText('history', ['History of present illness', 'القصة المرضية', 'Historia de la enfermedad actual']),
    yesNo('allergy_asked', ['Allergies reviewed', 'تمت مراجعة الحساسية', 'Alergias revisadas']),
    heading('examination_heading', ['Examination', 'الفحص', 'Examen físico']),
    longText('examination', ['Findings', 'الموجودات', 'Hallazgos']),
    longText('tests', ['Tests and results', 'الفحوص ونتائجها', 'Exámenes y resultados']),
    files('photos', ['Photos and reports', 'صور وتقارير', 'Imágenes e informes']),
    heading('plan_heading', ['Assessment and plan', 'التقييم والخطة', 'Evaluación y plan']),
    diagnosis(),
    medicines(),
    longText('advice', ['Advice given', 'النصائح المقدّمة', 'Indicaciones dadas']),
    yesNo('referred', ['Referred to another facility', 'أُحيل إلى جهة أخرى', 'Derivado a otro establecimiento']),
    text('referred_to', ['Referred to', 'الجهة المحال إليها', 'Derivado a'], {
      showIf: when('referred', 'is', 'yes'),
      requiredIf: when('referred', 'is', 'yes'),
    }),
    nextVisit(),
  ],
)

/** Emergency and priority signs: WHO, Guidelines on paediatric emergency triage, assessment and treatment (ETAT), 2016, and the Interagency Integrated Triage Tool (WHO, ICRC, MSF, 2020), shortened. */
export const triage = starter(
  'triage',
  ['Triage', 'الفرز', 'Triaje'],
  [
    'Who cannot wait: check emergency signs first, then priority signs.',
    'من لا يحتمل الانتظار: تُفحص علامات الطوارئ أولًا ثم علامات الأولوية.',
    'Quién no puede esperar: primero los signos de emergencia, después los de prioridad.',
  ],
  [
    text('reason', ['Chief complaint', 'الشكوى الرئيسية', 'Motivo de consulta'], { required: true }),
    choices(
      'emergency',
      ['Emergency signs', 'علامات الطوارئ', 'Signos de emergencia'],
      [
        [
          'airway',
          'Obstructed airway or not breathing',
          'انسداد مجرى الهواء أو توقف التنفّس',
          'Vía aérea obstruida o no respira',
        ],
        [
          'breathing',
          'Severe respiratory distress or central cyanosis',
          'ضيق تنفّس شديد أو زرقة مركزية (الشفتان واللسان)',
          'Dificultad respiratoria grave o cianosis central',
        ],
        [
          'shock',
          'Cold hands with weak and fast pulse',
          'برودة اليدين مع نبض سريع ضعيف',
          'Manos frías con pulso débil y rápido',
        ],
        ['bleeding', 'Heavy bleeding', 'نزف غزير', 'Hemorragia abundante'],
        [
          'coma',
          'Unresponsive, or responds only to pain',
          'لا يستجيب أو يستجيب للألم فقط',
          'No responde, o responde solo al dolor',
        ],
        ['convulsion', 'Convulsing now', 'اختلاج (تشنّج) حاليًا', 'Convulsiona en este momento'],
        [
          'dehydration',
          'Child with diarrhoea: lethargy, sunken eyes, slow skin pinch',
          'طفل مصاب بإسهال: خمول، عينان غائرتان، بطء عودة ثنية الجلد',
          'Niño con diarrea: letargia, ojos hundidos, pliegue cutáneo lento',
        ],
      ],
      {
        hint: [
          'One sign is enough: treat immediately.',
          'علامة واحدة تكفي: العلاج فورًا.',
          'Basta un signo: trate de inmediato.',
        ],
      },
    ),
    note(
      'emergency_note',
      [
        'EMERGENCY: take the patient to the treatment room immediately and call for help.',
        'طوارئ: نقل المريض فورًا إلى غرفة المعالجة وطلب المساعدة.',
        'EMERGENCIA: lleve al paciente de inmediato a la sala de tratamiento y pida ayuda.',
      ],
      { showIf: when('emergency', 'answered') },
    ),
    choices(
      'priority',
      ['Priority signs', 'علامات الأولوية', 'Signos de prioridad'],
      [
        ['infant', 'Younger than 2 months', 'العمر أقل من شهرين', 'Menor de 2 meses'],
        ['hot', 'Very hot', 'حرارة شديدة', 'Temperatura muy alta'],
        [
          'trauma',
          'Injury needing urgent surgery',
          'إصابة تحتاج إلى جراحة عاجلة',
          'Lesión que requiere cirugía urgente',
        ],
        ['pallor', 'Severe pallor', 'شحوب شديد', 'Palidez intensa'],
        ['poisoning', 'Poisoning', 'تسمّم', 'Intoxicación'],
        ['pain', 'Severe pain', 'ألم شديد', 'Dolor intenso'],
        ['restless', 'Restless, irritable or lethargic', 'تململ أو تهيّج أو خمول', 'Inquieto, irritable o letárgico'],
        ['referral', 'Urgent referral letter', 'كتاب إحالة عاجلة', 'Hoja de derivación urgente'],
        [
          'malnutrition',
          'Visible severe wasting or oedema of both feet',
          'هزال شديد ظاهر أو وذمة القدمين',
          'Emaciación grave visible, o edema de ambos pies',
        ],
        ['burn', 'Large burn', 'حرق واسع', 'Quemadura extensa'],
        [
          'pregnant',
          'Pregnant with bleeding, headache or contractions',
          'حامل مع نزف أو صداع أو تقلّصات',
          'Embarazada con sangrado, cefalea o contracciones',
        ],
      ],
      { showIf: when('emergency', 'notAnswered') },
    ),
    number('pain', ['Pain (0–10)', 'الألم من 0 إلى 10', 'Dolor, de 0 a 10'], {
      limits: { min: 0, max: 10 },
      normal: { max: 6 },
    }),
    choice(
      'category',
      ['Category', 'فئة الفرز', 'Categoría'],
      [
        ['red', 'Red: emergency, now', 'أحمر: طوارئ، فورًا', 'Rojo: emergencia, ahora'],
        ['yellow', 'Yellow: priority, next', 'أصفر: أولوية، التالي', 'Amarillo: prioridad, el siguiente'],
        ['green', 'Green: can wait', 'أخضر: يمكنه الانتظار', 'Verde: puede esperar'],
      ],
      { required: true },
    ),
    longText('done', ['Actions at triage', 'ما تم عند الفرز', 'Acciones en el triaje']),
  ],
)

export const referral = starter(
  'referral-discharge',
  ['Referral and discharge', 'إحالة وخروج', 'Derivación y alta'],
  [
    'Summary for the patient to take to another facility or home.',
    'ملخّص يأخذه المريض إلى جهة صحية أخرى أو إلى المنزل.',
    'Resumen que el paciente lleva a otro establecimiento o a su casa.',
  ],
  [
    choice(
      'destination',
      ['Destination', 'وجهة المريض', 'Destino'],
      [
        ['hospital', 'Hospital', 'إلى مستشفى', 'A un hospital'],
        ['specialist', 'Specialist', 'إلى اختصاصي', 'A un especialista'],
        ['home', 'Home', 'إلى المنزل', 'A casa'],
      ],
      { required: true },
    ),
    text('to', ['Facility and contact', 'الجهة ووسيلة الاتصال بها', 'Establecimiento y contacto'], {
      showIf: when('destination', 'isNot', 'home'),
      requiredIf: when('destination', 'isNot', 'home'),
    }),
    choice(
      'urgency',
      ['Urgency', 'درجة الاستعجال', 'Urgencia'],
      [
        ['now', 'Immediately, by ambulance', 'فورًا بسيارة إسعاف', 'De inmediato, en ambulancia'],
        ['today', 'Today', 'اليوم', 'Hoy'],
        ['week', 'Within a week', 'خلال أسبوع', 'En los próximos 7 días'],
        ['planned', 'Elective', 'مخطّط لها', 'Programada'],
      ],
      { showIf: when('destination', 'isNot', 'home') },
    ),
    yesNo(
      'announced',
      ['Receiving facility informed', 'أُبلغت الجهة المستقبلة', 'Se avisó al establecimiento receptor'],
      {
        showIf: when('destination', 'is', 'hospital'),
      },
    ),
    diagnosis({ required: true }),
    longText(
      'summary',
      ['Summary of the illness and findings', 'ملخّص المرض والموجودات', 'Resumen de la enfermedad y hallazgos'],
      { required: true },
    ),
    longText('given', ['Treatment given so far', 'العلاج المقدّم حتى الآن', 'Tratamiento administrado hasta ahora']),
    choice(
      'condition',
      ['Condition on discharge', 'الحالة عند المغادرة', 'Estado al alta'],
      [
        ['better', 'Better', 'تحسّن', 'Mejor'],
        ['same', 'Unchanged', 'دون تغيّر', 'Igual'],
        ['worse', 'Worse', 'تدهور', 'Peor'],
        ['critical', 'Critical', 'حالة حرجة', 'Crítico'],
      ],
    ),
    medicines({ hint: ['Discharge medicines', 'أدوية الخروج', 'Medicamentos al alta'] }),
    longText(
      'question',
      ['Request to the receiving clinician', 'المطلوب من الطبيب المستقبِل', 'Qué se solicita al profesional receptor'],
      {
        showIf: when('destination', 'isNot', 'home'),
      },
    ),
    longText('warning', ['Return immediately if', 'العودة فورًا عند', 'Signos de alarma: volver de inmediato si'], {
      showIf: when('destination', 'is', 'home'),
    }),
    files('documents', ['Attached documents', 'وثائق مرفقة', 'Documentos adjuntos']),
    day('seen_again', ['Follow-up at this clinic', 'المراجعة في هذه العيادة', 'Próximo control en esta clínica'], {
      days: 'future',
    }),
  ],
)
