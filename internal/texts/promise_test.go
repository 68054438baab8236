package texts

import "testing"

// TestPromised proves which replies promise work behind them, and which do not: those that
// offer, ask, deny, quote, or wait for the person.
func TestPromised(t *testing.T) {
	delegates := []string{"Sasha", "Finn"}
	for _, reply := range []string{
		"I'll get back to you as soon as I know more.",
		"I’ll get back to you.",
		"Sure! I will report back when it is done.",
		"Thanks. I'll keep you posted.",
		"I will let you know tomorrow.",
		"I'll follow up with you on Friday.",
		"**I'll notify you** when the flight is cheaper",
		"I'll send you the list once it's ready.",
		"I will share the results as soon as Sasha is back.",
		"I have dispatched the task.",
		"I've delegated this.",
		"I will dispatch it now.",
		"I've asked Sasha to look into it.",
		"I just sent Finn to check the prices.",
		"I'm having Sasha research that.",
		"I'll ask Finn.",
		"I have passed this on to my colleague.",
		"Sasha is on it!",
		"Sasha is looking into the trains.",
		"I'm working on it in the background.",
		"Hang tight.",
		"One moment, please.",
		"Give me a few minutes",
		"Don't worry, I'll get back to you.",
		"The trains are late.\n\nI'll keep you updated.",
		"Te aviso en cuanto lo tenga.",
		"Te avisaré.",
		"Te mantendré al tanto.",
		"Me pondré en contacto contigo mañana.",
		"Volveré con la respuesta.",
		"He delegado la tarea.",
		"Le he pedido a Sasha que lo mire.",
		"Sasha ya está trabajando en ello.",
		"Lo hago en segundo plano.",
		"Dame un momento.",
		"Ich melde mich, sobald es fertig ist.",
		"Ich werde mich morgen bei dir melden.",
		"Ich gebe dir Bescheid.",
		"Ich habe Sasha gebeten, das zu prüfen.",
		"Ich habe das in Auftrag gegeben.",
		"Ich halte dich auf dem Laufenden.",
		"Je vous tiens au courant.",
	} {
		if Promised(reply, delegates) == "" {
			t.Errorf("%q is taken for no promise", reply)
		}
	}
	for _, reply := range []string{
		"",
		"The first train leaves at eight.",
		"Let me know if you need anything else.",
		"I'll explain: water boils at 100 degrees.",
		"If you want, I'll ask Sasha.",
		"Shall I ask Sasha to look into it?",
		"I can ask Sasha to look into it if you like.",
		"Would you like me to keep you posted?",
		"I'll book it as soon as you confirm.",
		"I will not get back to you about this.",
		"I can't notify you later.",
		"I haven't dispatched anything.",
		"Nothing is running in the background.",
		"You asked whether she will get back to you. She did.",
		"Here is the letter:\n\n> Dear Ms Vega, I'll get back to you on Monday.",
		"You could write: “I'll get back to you soon.”",
		"You could write: \"I'll get back to you soon.\"",
		"```\necho \"I'll keep you posted\"\n```",
		"Sasha is a researcher, Finn builds things.",
		"Sasha found three trains and asked Finn for the prices.",
		"The moment you press it, it starts.",
		"Done: the note is kept.",
		"Si quieres, te aviso cuando salga.",
		"¿Te aviso cuando salga?",
		"No te avisaré.",
		"Te aviso en cuanto me confirmes la fecha.",
		"El tren sale a las ocho.",
		"Wenn du möchtest, melde ich mich morgen.",
		"Soll ich Sasha fragen?",
		"Ich werde das nicht melden.",
		"Der Zug fährt um acht.",
		"Es gibt keine Arbeit im Hintergrund.",
	} {
		if got := Promised(reply, delegates); got != "" {
			t.Errorf("%q is taken for a promise: %q", reply, got)
		}
	}
}

func BenchmarkPromised(b *testing.B) {
	for b.Loop() {
		Promised("The first train leaves at eight, and the second at nine. Both go to Oslo by way of Hamburg, and neither is full. What else would you like to know about them?", []string{"Sasha", "Finn"})
	}
}
