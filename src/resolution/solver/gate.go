package solver

import (
	"errors"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/resolution/window"
)

// readWindows reads [{schedule, timeZone?, duration}].
func readWindows(f decode.Field) []*window.Window {
	var list []*window.Window
	for _, item := range f.NonEmptyList("a window") {
		var schedule, zone, duration decode.Field
		for name, m := range item.Members("schedule", "timeZone", "duration") {
			m.Text()
			switch name {
			case "schedule":
				schedule = m
			case "timeZone":
				zone = m
			case "duration":
				duration = m
			}
		}
		item.Require("schedule", "duration")
		if schedule.Value == nil || duration.Value == nil {
			continue
		}
		w, err := window.New(textOfField(schedule), textOfField(zone), textOfField(duration))
		switch {
		case errors.Is(err, window.ErrSchedule):
			schedule.Fail(`write minute, hour, day of the month, month and day of the week as cron does, such as "0 22 * * 1-5"; the zone is timeZone`,
				"%s is not a schedule", decode.Quote(textOfField(schedule)))
		case errors.Is(err, window.ErrNever):
			schedule.Fail("name a day that exists", "the schedule %s never comes", decode.Quote(textOfField(schedule)))
		case errors.Is(err, window.ErrZone):
			zone.Fail("write the name of a zone of IANA, such as Europe/Berlin, or leave it out for UTC", "there is no time zone %s", decode.Quote(textOfField(zone)))
		case errors.Is(err, window.ErrDuration):
			duration.Fail("write one of a minute to seven days, such as 4h or 90m", "%s is not a duration of a window", decode.Quote(textOfField(duration)))
		default:
			list = append(list, w)
		}
	}
	return list
}

// textOfField is the text of a field, "" of one that is absent or no text.
func textOfField(f decode.Field) string {
	if f.Value == nil {
		return ""
	}
	text, _ := f.Value.Str()
	return text
}
